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
            runningSums[row] = runningSums(counts[row]);
        }
    }

    static long[] runningSums(long[] row) {
        long sum = 0;
        long[] sums = new long[row.length];
        for (int place = 0; place < row.length; place++) {
            sum += row[place];
            sums[place] = sum;
        }
        return sums;
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

    /** The same for this table and a replace table after it, whose counts together are out of 2^106. */
    boolean keepsBefore(ReplaceTable replace, BigInteger floor) {
        for (int symbol = 0; symbol < (circulant ? 1 : symbols()); symbol++) {
            BigInteger[] counts = new BigInteger[2];
            long[] extremes = circulant ? extremesOf(runningSums[0]) : extremesOf(symbol);
            for (int place = 0; place < 2; place++) {
                counts[place] = BigInteger.valueOf(replace.keep)
                                        .multiply(BigInteger.valueOf(extremes[place]))
                                        .add(BigInteger.valueOf(replace.count(symbol, circulant)).shiftLeft(53));
            }
            if (!Spread.isWithin(counts[0], counts[1], floor)) {
                return false;
            }
        }
        return true;
    }

    /** The largest and the smallest count of a row. */
    private static long[] extremesOf(long[] sums) {
        long[] extremes = {sums[0], sums[0]};
        for (int place = 1; place < sums.length; place++) {
            extremes[0] = Math.max(extremes[0], sums[place] - sums[place - 1]);
            extremes[1] = Math.min(extremes[1], sums[place] - sums[place - 1]);
        }
        return extremes;
    }

    /** The largest and the smallest count of a symbol over all rows. */
    private long[] extremesOf(int symbol) {
        long[] extremes = {0, TOTAL};
        for (long[] sums : runningSums) {
            long count = symbol == 0 ? sums[0] : sums[symbol] - sums[symbol - 1];
            extremes[0] = Math.max(extremes[0], count);
            extremes[1] = Math.min(extremes[1], count);
        }
        return extremes;
    }

    /** The symbol for an input and a random word. */
    int symbol(int index, long tableWord) {
        long draw = tableWord >>> 11;
        if (!circulant) {
            return sumsUpTo(runningSums[index], draw);
        }
        return (index + sumsUpTo(runningSums[0], draw)) % symbols();
    }

    static int sumsUpTo(long[] sums, long draw) {
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
