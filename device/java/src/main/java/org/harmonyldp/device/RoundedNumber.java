package org.harmonyldp.device;

/** A number as a part of a crosstab: rounded at random to one of a few points of its range. */
final class RoundedNumber extends NumberAttribute {
    private final int points;
    private final GridCode grid;

    RoundedNumber(NumberAttribute number, int points) {
        super(number.name, number.reads, number.low, number.high, number.missing);
        this.points = points;
        this.grid = new GridCode(points, number.low, number.high);
    }

    @Override
    int size() {
        return points;
    }

    @Override
    long place(double answer, long word) {
        return grid.index(answer, word);
    }
}
