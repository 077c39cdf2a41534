package org.harmonyldp.device;

/** A level with a sign to one bit: the sign times a Hadamard row of the levels. Part of a training's step. */
final class SignedCode extends Code {
    private final Attribute attribute;
    private final long half;
    private final int digits;

    SignedCode(int levels, Attribute attribute) {
        this.attribute = attribute;
        this.half = half(levels);
        this.digits = digits(levels);
    }

    /**
     * The least power of two that is at least 2 and at least the number of levels: what a negative sign adds to a
     * level.
     */
    static int half(int levels) {
        int half = 2;
        while (half < levels) {
            half *= 2;
        }
        return half;
    }

    /** The binary digits of a level with its sign. */
    static int digits(int levels) {
        return 1 + Integer.numberOfTrailingZeros(half(levels));
    }

    @Override
    long rows() {
        return half - 1;
    }

    @Override
    int index(double[] answers, long row, long roundWord) {
        return index(attribute.place(answers, roundWord), row);
    }

    /** The index of a level with its sign. */
    int index(long place, long row) {
        return (int) (LinearCode.product(2, digits, half + 1 + row, place) % 2);
    }
}
