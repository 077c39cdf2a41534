package org.harmonyldp.device;

/** What a step computes once from a record: scaled features and levels, label, scores and the chance that was drawn. */
final class Derived {
    /** The numbers that derivations are made of. */
    enum Term { LABEL, SCORE, RESIDUAL, RELATIVE, DIRECTION }

    private static final double MOST_SCALE = 1e300;

    /** Scaled numbers and levels by feature; NaN for a level that is not there. */
    final double[] told;
    /** The scaled label; NaN where there is none. */
    final double label;
    final double score;
    final double chance;
    private final double direction;

    Derived(double[] told, double label, double score, double direction, double chance) {
        this.told = told;
        this.label = label;
        this.score = score;
        this.direction = direction;
        this.chance = chance;
    }

    double term(Term term) {
        switch (term) {
            case LABEL:
                return label;
            case SCORE:
                return score;
            case RESIDUAL:
                return label - score;
            case RELATIVE:
                return (label - score) / (1 + Math.min(Math.abs(score), MOST_SCALE));
            default:
                return direction;
        }
    }

    /** Whether a term is there: those made of the label need one. */
    boolean has(Term term) {
        return term == Term.SCORE || term == Term.DIRECTION || !Double.isNaN(label);
    }

    /** The number of edges that the score reaches. */
    int reached(double[] edges) {
        int reached = 0;
        for (double edge : edges) {
            if (edge <= score) {
                reached++;
            }
        }
        return reached;
    }

    /** A number limited to [-1, 1]; NaN stays NaN. */
    static double clip(double number) {
        return Math.max(-1, Math.min(1, number));
    }
}
