package org.harmonyldp.device;

import java.util.List;

/**
 * The most epsilon to spend in one report, in one round and in any 30 days.
 *
 * <p>A round is a label: surveys that ask in rounds of the same label share the limit. A limit that is not given is as
 * large as the next wider one: {@code EpsilonLimit.per30Days(4).perReport(1)} allows 4 in a round.
 */
public final class EpsilonLimit {
    private static final double BILLION = 1e9;

    private final double report;
    private final double round;
    private final double days30;

    private EpsilonLimit(double report, double round, double days30) {
        this.report = report;
        this.round = round;
        this.days30 = days30;
    }

    /** A limit for 30 days, and so for every round and report. */
    public static EpsilonLimit per30Days(double epsilon) {
        return new EpsilonLimit(Double.NaN, Double.NaN, checked(epsilon, "per30Days"));
    }

    /** The same limit with one for every round, and so for every report. */
    public EpsilonLimit perRound(double epsilon) {
        return new EpsilonLimit(report, checked(epsilon, "perRound"), days30);
    }

    /** The same limit with one for every report. */
    public EpsilonLimit perReport(double epsilon) {
        return new EpsilonLimit(checked(epsilon, "perReport"), round, days30);
    }

    private static double checked(double epsilon, String name) {
        if (!(epsilon >= 0)) {
            throw new IllegalArgumentException("'" + name + "' must be a number that is zero or more");
        }
        return epsilon;
    }

    private double ofRound() {
        return Double.isNaN(round) ? days30 : round;
    }

    private double ofReport() {
        return Double.isNaN(report) ? ofRound() : report;
    }

    /** Which limit so much more would break, or null if it may be spent. A clock that jumps back frees nothing. */
    String objection(double epsilon, String label, List<Entry> entries, double now) {
        double inRound = 0;
        double in30Days = 0;
        for (Entry entry : entries) {
            inRound += entry.getRound().equals(label) ? entry.billionths : 0;
            in30Days += entry.isRecent(now) ? entry.billionths : 0;
        }
        if (exceeds(0, epsilon, ofReport())) {
            return told("per_report", 0, epsilon, ofReport());
        }
        if (exceeds(inRound, epsilon, ofRound())) {
            return told("per_round", inRound, epsilon, ofRound());
        }
        return exceeds(in30Days, epsilon, days30) ? told("per_30_days", in30Days, epsilon, days30) : null;
    }

    private static boolean exceeds(double spent, double epsilon, double limit) {
        return spent + billionths(epsilon) > billionths(limit);
    }

    private static String told(String name, double spent, double epsilon, double limit) {
        return name + ": " + spent / BILLION + " spent and " + epsilon + " asked, the limit is " + limit;
    }

    /** The tier of most epsilon that may be spent, or -1. */
    int tier(double[] epsilons, String label, List<Entry> entries, double now) {
        int chosen = -1;
        for (int tier = 0; tier < epsilons.length; tier++) {
            boolean more = chosen < 0 || epsilons[tier] > epsilons[chosen];
            if (more && objection(epsilons[tier], label, entries, now) == null) {
                chosen = tier;
            }
        }
        return chosen;
    }

    /** An epsilon in whole billionths: their sums are exact, and equal in all languages. */
    static double billionths(double epsilon) {
        return Math.floor(epsilon * BILLION + 0.5);
    }

    @Override
    public String toString() {
        return "EpsilonLimit(perReport=" + ofReport() + ", perRound=" + ofRound() + ", per30Days=" + days30 + ")";
    }
}
