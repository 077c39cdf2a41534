package org.harmonyldp.device;

/** A place to the product of its digits with a projective vector, times a multiplier, modulo the base. */
final class LinearCode extends Code {
    private final long base;
    private final int digits;
    private final int[] multipliers;
    private final Attribute attribute;
    private final long points;

    LinearCode(int base, int digits, int[] multipliers, Attribute attribute) {
        this.base = base;
        this.digits = digits;
        this.multipliers = multipliers;
        this.attribute = attribute;
        this.points = points(base, digits);
    }

    /** The vectors of so many digits whose highest digit that is not zero is 1. */
    static long points(long base, int digits) {
        long points = 0;
        for (int place = 0; place < digits; place++) {
            points = points * base + 1;
        }
        return points;
    }

    @Override
    long rows() {
        return multipliers.length * points;
    }

    @Override
    int index(double[] answers, long row, long roundWord) {
        return index(attribute.place(answers, roundWord), row);
    }

    /** The index of a place. */
    int index(long place, long row) {
        return (int) (multipliers[(int) (row / points)] * product(base, digits, vector(row % points), place) % base);
    }

    private long vector(long point) {
        long power = 1;
        long before = 0;
        while (point >= before + power) {
            before += power;
            power *= base;
        }
        return power + point - before;
    }

    /** The sum of the products of two numbers' digits. */
    static long product(long base, int digits, long one, long other) {
        long sum = 0;
        for (int place = 0; place < digits; place++) {
            sum += one % base * (other % base);
            one /= base;
            other /= base;
        }
        return sum;
    }
}
