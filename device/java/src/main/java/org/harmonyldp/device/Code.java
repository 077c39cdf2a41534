package org.harmonyldp.device;

/** From an answer, a row of the coin and a random word to an index of the table. An answer of NaN is drawn. */
abstract class Code {
    /** The rows that the coin chooses from. */
    abstract long rows();

    /** The index of the table's input. {@code answer} is a number or a place, or NaN where there is none. */
    abstract int index(double answer, long row, long roundWord);

    /** A uniform draw below {@code bound} from the upper half of a word. */
    static long below(long roundWord, long bound) {
        return (roundWord >>> 32) * bound >>> 32;
    }
}
