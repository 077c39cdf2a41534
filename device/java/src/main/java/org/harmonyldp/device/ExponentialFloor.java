package org.harmonyldp.device;

import java.math.BigInteger;

/** An integer just below {@code e^(epsilon / answers) * 2^128}, computed exactly as the protocol says. */
final class ExponentialFloor {
    static final int FRACTION_BITS = 128;

    private static final int WORKING_BITS = 256;
    private static final int SQUARINGS = 6;

    private ExponentialFloor() {
    }

    static BigInteger of(double epsilon, int answers) {
        BigInteger power = scaled(epsilon, BigInteger.valueOf((long) answers << SQUARINGS));
        BigInteger term = BigInteger.ONE.shiftLeft(WORKING_BITS);
        BigInteger sum = term;
        for (long order = 1; term.signum() > 0; order++) {
            term = term.multiply(power).shiftRight(WORKING_BITS).divide(BigInteger.valueOf(order));
            sum = sum.add(term);
        }
        for (int squaring = 0; squaring < SQUARINGS; squaring++) {
            sum = sum.multiply(sum).shiftRight(WORKING_BITS);
        }
        return sum.shiftRight(WORKING_BITS - FRACTION_BITS);
    }

    /** {@code epsilon * 2^256 / divisor} rounded down, from the exact binary value of a normal double. */
    private static BigInteger scaled(double epsilon, BigInteger divisor) {
        int exponent = Math.getExponent(epsilon) - 52;
        long significand = Double.doubleToLongBits(epsilon) & (1L << 52) - 1 | 1L << 52;
        return BigInteger.valueOf(significand).shiftLeft(WORKING_BITS + exponent).divide(divisor);
    }
}
