package org.harmonyldp.device;

/** A number between low and high; values outside are moved to the nearer end. */
class NumberAttribute extends Attribute {
    final double low;
    final double high;
    final double missing;

    /** {@code missing} is the number that stands for no value, NaN where none is named. */
    NumberAttribute(String name, String reads, double low, double high, double missing) {
        super(name, reads, Kind.NUMBER);
        this.low = low;
        this.high = high;
        this.missing = missing;
    }

    @Override
    String code() {
        return "grid";
    }

    @Override
    int size() {
        return 0;
    }

    @Override
    double answer(Object value) {
        Object told = Values.told(value, Kind.NUMBER);
        return told == null ? missing : Math.max(low, Math.min(high, (Double) told));
    }
}
