package org.harmonyldp.device;

import java.util.Arrays;

/** A number that is counted in bins; the last bin is closed. */
final class Histogram extends NumberAttribute {
    private final double[] edges;

    /** The edges rise from low to high. */
    Histogram(String name, String reads, double[] edges, double missing) {
        super(name, reads, edges[0], edges[edges.length - 1], missing);
        this.edges = edges;
    }

    @Override
    String code() {
        return "linear";
    }

    @Override
    int size() {
        return edges.length - 1;
    }

    @Override
    double answer(Object value) {
        double number = super.answer(value);
        if (Double.isNaN(number)) {
            return number;
        }
        int found = Arrays.binarySearch(edges, Values.canonical(number));
        return Math.min(found >= 0 ? found : -found - 2, size() - 1);
    }
}
