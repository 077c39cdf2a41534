package org.harmonyldp.device;

/**
 * One thing that a survey asks for, and how a value becomes an answer to it.
 *
 * <p>An answer is what a code takes: a number inside its range, or a place; NaN means that there is none and that an
 * index is drawn. Every value has an answer, so whether a device answers never depends on what it holds.
 */
abstract class Attribute {
    final String name;
    /** What the record must have under this name. */
    final Kind asksFor;

    Attribute(String name, Kind asksFor) {
        this.name = name;
        this.asksFor = asksFor;
    }

    /** The code that its mechanisms have. */
    abstract String code();

    /** The places that an answer may have: bins, values or levels; none for a number without bins. */
    abstract int size();

    /** The answer to a value, whatever it is. */
    abstract double answer(Object value);

    /** What an app's developer should know about a value, without telling it; null if it has an answer of its own. */
    String warning(Object value) {
        return Values.told(value, asksFor) == null ? "no value, or none that is a " + AppRecord.word(asksFor) : null;
    }
}
