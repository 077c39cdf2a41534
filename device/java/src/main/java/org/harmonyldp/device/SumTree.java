package org.harmonyldp.device;

/** Weights whose running sums are searched and changed in logarithmic time (a Fenwick tree). */
final class SumTree {
    private final long[] sums;
    private final int top;
    private long total;

    SumTree(int[] weights) {
        sums = new long[weights.length + 1];
        top = Integer.highestOneBit(weights.length);
        for (int node = 1; node < sums.length; node++) {
            sums[node] += weights[node - 1];
            total += weights[node - 1];
            int parent = node + (node & -node);
            if (parent < sums.length) {
                sums[parent] += sums[node];
            }
        }
    }

    long total() {
        return total;
    }

    void add(int place, int change) {
        total += change;
        for (int node = place + 1; node < sums.length; node += node & -node) {
            sums[node] += change;
        }
    }

    /** The first place where the sum of the weights up to and with it exceeds {@code rest}. */
    int placeOf(long rest) {
        int node = 0;
        for (int step = top; step > 0; step >>= 1) {
            if (node + step < sums.length && sums[node + step] <= rest) {
                node += step;
                rest -= sums[node];
            }
        }
        return node;
    }
}
