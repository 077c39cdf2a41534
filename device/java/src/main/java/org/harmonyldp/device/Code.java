package org.harmonyldp.device;

/** From an attribute's answers, a row of the coin and a random word to an index of the table. NaN is drawn. */
abstract class Code {
    /** The rows that the coin chooses from. */
    abstract long rows();

    /** The index of the table's input. There is an answer for each part: a number, a place, or NaN for none. */
    abstract int index(double[] answers, long row, long roundWord);

    /** A uniform draw below {@code bound} from the upper half of a word. */
    static long below(long roundWord, long bound) {
        return (roundWord >>> 32) * bound >>> 32;
    }
}
