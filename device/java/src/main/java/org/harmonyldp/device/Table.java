package org.harmonyldp.device;

import java.math.BigInteger;

/** The chances of each symbol for each input, as counts out of 2^53. */
final class Table {
    /** What the counts of a row sum to. */
    static final long TOTAL = 1L << 53;

    private final boolean circulant;
    private final long[][] runningSums;
    private final Spread spread;

    /** A dense table has a row for each input; a circulant one has a single row, turned by the input. */
    Table(boolean circulant, long[][] counts) {
        this.circulant = circulant;
        this.spread = circulant ? Spread.ofRow(counts[0]) : Spread.ofColumns(counts);
        this.runningSums = new long[counts.length][];
        for (int row = 0; row < counts.length; row++) {
            long sum = 0;
            runningSums[row] = new long[counts[row].length];
            for (int symbol = 0; symbol < counts[row].length; symbol++) {
                sum += counts[row][symbol];
                runningSums[row][symbol] = sum;
            }
        }
    }

    boolean isCirculant() {
        return circulant;
    }

    int inputs() {
        return circulant ? symbols() : runningSums.length;
    }

    int symbols() {
        return runningSums[0].length;
    }

    /** Whether no symbol tells two inputs apart by more than {@code floor / 2^128}. */
    boolean keeps(BigInteger floor) {
        return spread.isWithin(floor);
    }

    /** The symbol for an input and a random word. */
    int symbol(int index, long tableWord) {
        long draw = tableWord >>> 11;
        if (!circulant) {
            return sumsUpTo(runningSums[index], draw);
        }
        return (index + sumsUpTo(runningSums[0], draw)) % symbols();
    }

    private static int sumsUpTo(long[] sums, long draw) {
        int low = 0;
        int high = sums.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sums[middle] <= draw) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
