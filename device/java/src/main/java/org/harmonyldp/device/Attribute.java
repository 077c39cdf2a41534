package org.harmonyldp.device;

import java.util.Collections;
import java.util.List;

/**
 * One thing that a survey asks for, and how a value becomes an answer to it.
 *
 * <p>An answer is what a code takes: a number inside its range, or a place; NaN means that there is none and that an
 * index is drawn. Every value has an answer, so whether a device answers never depends on what it holds.
 */
abstract class Attribute {
    final String name;
    /** The name of the value that it reads. */
    final String reads;
    /** What the record must have under that name; null for what no record has. */
    final Kind asksFor;

    Attribute(String name, String reads, Kind asksFor) {
        this.name = name;
        this.reads = reads;
        this.asksFor = asksFor;
    }

    /** The code that its mechanisms have. */
    abstract String code();

    /** The places that an answer may have: bins, values or levels; none for a number without bins. */
    abstract int size();

    /** The answer to a value, whatever it is. */
    abstract double answer(Object value);

    /** What it reads: itself, or the two parts of a crosstab. */
    List<Attribute> parts() {
        return Collections.singletonList(this);
    }

    /** The place of an answer; NaN draws one with the upper half of a random word. */
    long place(double answer, long word) {
        return Double.isNaN(answer) ? Code.below(word, size()) : (long) answer;
    }

    /** The place of the answers of all parts. */
    long place(double[] answers, long word) {
        return place(answers[0], word);
    }

    /** What an app's developer should know about a value, without telling it; null if it has an answer of its own. */
    String warning(Object value) {
        return Values.told(value, asksFor) == null ? "no value, or none that is a " + AppRecord.word(asksFor) : null;
    }
}
