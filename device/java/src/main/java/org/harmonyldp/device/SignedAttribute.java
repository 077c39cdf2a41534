package org.harmonyldp.device;

/** A level and a sign: the number that a step derives, level + K * (sign &lt; 0). */
final class SignedAttribute extends Attribute {
    private final int levels;

    SignedAttribute(String name, int levels) {
        super(name, Kind.NUMBER);
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
