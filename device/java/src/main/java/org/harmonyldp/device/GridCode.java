package org.harmonyldp.device;

/** A number to one of the two grid points beside it, at random so that their mean is the number. */
final class GridCode extends Code {
    private static final double TWO_53 = 9007199254740992.0;

    private final int points;
    private final double low;
    private final double high;

    GridCode(int points, double low, double high) {
        this.points = points;
        this.low = low;
        this.high = high;
    }

    @Override
    long rows() {
        return 1;
    }

    @Override
    int index(double[] answers, long row, long roundWord) {
        return index(answers[0], roundWord);
    }

    /** The point for a number, or for none, which is NaN. */
    int index(double answer, long roundWord) {
        if (Double.isNaN(answer)) {
            return (int) below(roundWord, points);
        }
        double clipped = Math.max(low, Math.min(high, answer));
        double position = (clipped - low) / (high - low) * (points - 1);
        int left = (int) Math.min(Math.floor(position), points - 2);
        return roundWord >>> 11 < (long) Math.floor((position - left) * TWO_53) ? left + 1 : left;
    }
}
