package org.harmonyldp.device;

import java.util.Map;

/** One of a list of values: all text, all integers or all booleans. */
final class Category extends Attribute {
    private final Map<Object, Integer> places;
    private final double missing;
    private final double unlisted;

    /** {@code missing} and {@code unlisted} are the places of the values that stand in, NaN where none is named. */
    Category(String name, String reads, Kind kind, Map<Object, Integer> places, double missing, double unlisted) {
        super(name, reads, kind);
        this.places = places;
        this.missing = missing;
        this.unlisted = unlisted;
    }

    @Override
    String code() {
        return "linear";
    }

    @Override
    int size() {
        return places.size();
    }

    @Override
    double answer(Object value) {
        Object told = Values.told(value, asksFor);
        if (told == null) {
            return missing;
        }
        Integer place = places.get(told);
        return place == null ? unlisted : place;
    }

    @Override
    String warning(Object value) {
        Object told = Values.told(value, asksFor);
        boolean unknown = told != null && !places.containsKey(told);
        return unknown ? "the value is not one of the survey's 'values'" : super.warning(value);
    }
}
