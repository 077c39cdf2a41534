package org.harmonyldp.device;

/** A linear score: an intercept, and a weight for each number or each level of a feature. */
final class Score {
    private final double intercept;
    private final double[][] weights;
    private final boolean[] levels;

    /** {@code weights} are by feature: one for a number, one for each level otherwise. */
    Score(double intercept, double[][] weights, boolean[] levels) {
        this.intercept = intercept;
        this.weights = weights;
        this.levels = levels;
    }

    /** The score of a record's scaled numbers and levels; a level that is not there (NaN) adds nothing. */
    double of(double[] told) {
        double score = intercept;
        for (int place = 0; place < told.length; place++) {
            if (!levels[place]) {
                score += weights[place][0] * told[place];
            } else if (!Double.isNaN(told[place])) {
                score += weights[place][(int) told[place]];
            }
        }
        return score;
    }
}
