package org.harmonyldp.device;

/** A level and a sign: the number that a step derives, level + K * (sign &lt; 0). No record has it. */
final class SignedAttribute extends Attribute {
    private final int levels;

    SignedAttribute(String name, int levels) {
        super(name, name, null);
        this.levels = levels;
    }

    @Override
    String code() {
        return "linear";
    }

    @Override
    int size() {
        return levels;
    }

    /** A level, and each sign as likely. */
    @Override
    long place(double answer, long word) {
        if (!Double.isNaN(answer)) {
            return (long) answer;
        }
        long drawn = Code.below(word, 2L * levels);
        return drawn < levels ? drawn : drawn - levels + SignedCode.half(levels);
    }

    @Override
    double answer(Object value) {
        Object told = Values.told(value, Kind.NUMBER);
        int half = SignedCode.half(levels);
        if (!Fields.isInteger(told)) {
            return Double.NaN;
        }
        double number = (Double) told;
        return number >= 0 && number < 2 * half && number % half < levels ? number : Double.NaN;
    }
}
