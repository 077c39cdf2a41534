package org.harmonyldp.device;

import java.math.BigInteger;

/** The two counts of a table that are furthest apart, as a ratio: what the table's epsilon must allow. */
final class Spread {
    /** Doubles that differ by more than this, relatively, order two ratios; nearer ones are compared in integers. */
    private static final double CLEAR = 1e-12;

    private final long largest;
    private final long smallest;

    private Spread(long largest, long smallest) {
        this.largest = largest;
        this.smallest = smallest;
    }

    /** The spread of a circulant table: every input meets every count of the row. */
    static Spread ofRow(long[] row) {
        long largest = row[0];
        long smallest = row[0];
        for (long count : row) {
            largest = Math.max(largest, count);
            smallest = Math.min(smallest, count);
        }
        return new Spread(largest, smallest);
    }

    /** The widest spread of a dense table's columns, each the counts of one symbol. */
    static Spread ofColumns(long[][] rows) {
        Spread widest = new Spread(1, 1);
        for (int symbol = 0; symbol < rows[0].length; symbol++) {
            long largest = rows[0][symbol];
            long smallest = largest;
            for (long[] row : rows) {
                largest = Math.max(largest, row[symbol]);
                smallest = Math.min(smallest, row[symbol]);
            }
            if (widest.isBelow(largest, smallest)) {
                widest = new Spread(largest, smallest);
            }
        }
        return widest;
    }

    private boolean isBelow(long otherLargest, long otherSmallest) {
        double mine = (double) largest / smallest;
        double other = (double) otherLargest / otherSmallest;
        if (Math.abs(mine - other) > CLEAR * mine) {
            return mine < other;
        }
        return BigInteger.valueOf(largest)
                       .multiply(BigInteger.valueOf(otherSmallest))
                       .compareTo(BigInteger.valueOf(otherLargest).multiply(BigInteger.valueOf(smallest)))
                < 0;
    }

    boolean isWithin(BigInteger floor) {
        return isWithin(BigInteger.valueOf(largest), BigInteger.valueOf(smallest), floor);
    }

    /** Whether two counts differ by a factor of {@code floor / 2^128} at most. */
    static boolean isWithin(BigInteger largest, BigInteger smallest, BigInteger floor) {
        return largest.shiftLeft(ExponentialFloor.FRACTION_BITS).compareTo(floor.multiply(smallest)) <= 0;
    }
}
