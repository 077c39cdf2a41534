package org.harmonyldp.device;

import java.math.BigInteger;

/** Keeps a symbol, or replaces it by one that does not depend on it: what each round of a survey with memory sends. */
final class ReplaceTable {
    /** Of the draws that keep the symbol. */
    final long keep;
    private final long[] counts;
    private final long[] runningSums;
    private final long least;

    /** The first count is for keeping; then there is one for each symbol. */
    ReplaceTable(long[] row) {
        keep = row[0];
        counts = new long[row.length - 1];
        System.arraycopy(row, 1, counts, 0, counts.length);
        runningSums = Table.runningSums(row);
        long smallest = counts[0];
        for (long count : counts) {
            smallest = Math.min(smallest, count);
        }
        least = smallest;
    }

    int symbols() {
        return counts.length;
    }

    /** How often a symbol is sent in place of another; the least of them all, for every symbol of a circulant table. */
    long count(int symbol, boolean circulant) {
        return circulant ? least : counts[symbol];
    }

    /** Whether no symbol tells two kept ones apart by more than {@code floor / 2^128}. */
    boolean keeps(BigInteger floor) {
        return Spread.isWithin(BigInteger.valueOf(keep + least), BigInteger.valueOf(least), floor);
    }

    /** The symbol that is sent for one that is kept, and a random word. */
    int symbol(int kept, long tableWord) {
        int reached = Table.sumsUpTo(runningSums, tableWord >>> 11);
        return reached == 0 ? kept : reached - 1;
    }
}
