package org.harmonyldp.device;

/** The public coins of a device in a round: which attributes it is asked about, and in which row of their codes. */
final class Coins {
    private final byte[] seed;
    private final byte[] message;
    private final int idBytes;
    private int counter;
    private long word;
    private boolean half;

    Coins(byte[] seed, byte[] id) {
        this.seed = seed;
        this.idBytes = id.length;
        this.message = new byte[id.length + 4];
        System.arraycopy(id, 0, message, 0, id.length);
    }

    /** The next draw below a bound of at most 2^31: half of a word, the low half first. */
    long below(long bound) {
        if (half) {
            half = false;
            return (word >>> 32) * bound >>> 32;
        }
        for (int place = 0; place < 4; place++) {
            message[idBytes + place] = (byte) (counter >>> 8 * place);
        }
        counter++;
        word = SipHash.word(seed, message);
        half = true;
        return (word & 0xffffffffL) * bound >>> 32;
    }

    /**
     * So many different attributes, in the order of the coin, each drawn in proportion to its weight among those left.
     *
     * <p>A partial Fisher-Yates shuffle. The weights of the places that are left are kept in a tree of sums, so that
     * thousands of answers take as many steps of a few additions.
     */
    int[] attributes(int[] weights, int answers) {
        int count = weights.length;
        int[] pool = new int[count];
        for (int place = 0; place < count; place++) {
            pool[place] = place;
        }
        SumTree left = new SumTree(weights);
        int[] chosen = new int[answers];
        for (int place = 0; place < answers; place++) {
            int other = left.placeOf(below(left.total()));
            int swapped = pool[place];
            pool[place] = pool[other];
            pool[other] = swapped;
            left.add(other, weights[swapped] - weights[pool[place]]);
            left.add(place, -weights[swapped]);
            chosen[place] = pool[place];
        }
        return chosen;
    }
}
