package org.harmonyldp.device;

import java.util.Arrays;
import java.util.Map;

/**
 * One thing that a survey asks for, and how a value becomes an answer to it.
 *
 * <p>An answer is the clipped number for a number without bins, otherwise a place; NaN means that there is none and that an
 * index is drawn. Nothing about a value is ever raised.
 */
final class Attribute {
    /** What an attribute is: a number, a number in bins, one of some values, or a level with a sign that a step derives. */
    enum Shape { NUMBER, BINS, VALUES, SIGNED }

    final String name;
    final Shape shape;
    final double low;
    final double high;
    private final double[] edges;
    private final Map<Object, Integer> places;
    /** What the record must have under this name. */
    final Kind asksFor;
    private final double missing;
    private final double unlisted;

    /** A number from low to high, in bins where there are edges. {@code missing} is NaN where none is named. */
    static Attribute number(String name, double low, double high, double[] edges, double missing) {
        Attribute plain = new Attribute(name, edges == null ? Shape.NUMBER : Shape.BINS, low, high, edges, null, Kind.NUMBER, Double.NaN, Double.NaN);
        double standIn = Double.isNaN(missing) ? missing : plain.answerOf(missing);
        return new Attribute(name, plain.shape, low, high, edges, null, Kind.NUMBER, standIn, Double.NaN);
    }

    /** One of some values, with the places of the stand-ins, NaN where none is named. */
    static Attribute values(String name, Map<Object, Integer> places, Kind asksFor, double missing, double unlisted) {
        return new Attribute(name, Shape.VALUES, Double.NaN, Double.NaN, null, places, asksFor, missing, unlisted);
    }

    /** A level with a sign: the number that a step derives, level + K * (sign < 0). */
    static Attribute signed(String name, Map<Object, Integer> places) {
        return new Attribute(name, Shape.SIGNED, Double.NaN, Double.NaN, null, places, Kind.NUMBER, Double.NaN, Double.NaN);
    }

    private Attribute(String name, Shape shape, double low, double high, double[] edges, Map<Object, Integer> places, Kind asksFor,
            double missing, double unlisted) {
        this.name = name;
        this.shape = shape;
        this.low = low;
        this.high = high;
        this.edges = edges;
        this.places = places;
        this.asksFor = asksFor;
        this.missing = missing;
        this.unlisted = unlisted;
    }

    /** The places that an answer may have: bins or values. */
    int size() {
        return edges != null ? edges.length - 1 : places == null ? 0 : places.size();
    }

    /** The answer to a value, whatever it is. */
    double answer(Object value) {
        Object told = Values.told(value, asksFor);
        if (told == null) {
            return missing;
        }
        if (shape == Shape.SIGNED) {
            return signed((Double) told);
        }
        if (places == null) {
            return answerOf((Double) told);
        }
        Integer place = places.get(told);
        return place == null ? unlisted : place;
    }

    /** What an app's developer should know about a value, without telling it; null if it has an answer of its own. */
    String warning(Object value) {
        Object told = Values.told(value, asksFor);
        if (told == null) {
            return "no value, or none that is a " + AppRecord.word(asksFor);
        }
        return shape == Shape.VALUES && !places.containsKey(told) ? "the value is not one of the survey's 'values'" : null;
    }

    private double signed(double number) {
        int half = Signed.half(places.size());
        boolean derived = Fields.isInteger(number) && number >= 0 && number < 2 * half && number % half < places.size();
        return derived ? number : Double.NaN;
    }

    private double answerOf(double number) {
        double clipped = Math.max(low, Math.min(high, number));
        if (edges == null) {
            return clipped;
        }
        int found = Arrays.binarySearch(edges, clipped == 0 ? 0.0 : clipped);
        int bin = found >= 0 ? found : -found - 2;
        return Math.min(bin, edges.length - 2);
    }
}
