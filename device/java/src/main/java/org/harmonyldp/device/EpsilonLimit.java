package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The most epsilon to spend in one report, in one round and in any 30 days.
 *
 * <p>A round is a label: surveys that ask in rounds of the same label share the limit. A limit that is not given is as
 * large as the next wider one: {@code EpsilonLimit.per30Days(4).perReport(1)} allows 4 in a round.
 *
 * <p>A report of a survey with memory counts as much as it may cost if answers change. With {@link #steady}, all of
 * them count as much as they cost if answers never do.
 */
public final class EpsilonLimit {
    private static final double BILLION = 1e9;

    /** What charges come to, in whole billionths. */
    private interface Count {
        double of(List<Charge> charges);
    }

    private final double report;
    private final double round;
    private final double days30;
    private final boolean steady;

    private EpsilonLimit(double report, double round, double days30, boolean steady) {
        this.report = report;
        this.round = round;
        this.days30 = days30;
        this.steady = steady;
    }

    /** A limit for 30 days, and so for every round and report. */
    public static EpsilonLimit per30Days(double epsilon) {
        return new EpsilonLimit(Double.NaN, Double.NaN, checked(epsilon, "per30Days"), false);
    }

    /** The same limit with one for every round, and so for every report. */
    public EpsilonLimit perRound(double epsilon) {
        return new EpsilonLimit(report, checked(epsilon, "perRound"), days30, steady);
    }

    /** The same limit with one for every report. */
    public EpsilonLimit perReport(double epsilon) {
        return new EpsilonLimit(checked(epsilon, "perReport"), round, days30, steady);
    }

    /** The same limit, which counts what surveys with memory cost if answers never change: memory in any 30 days. */
    public EpsilonLimit steady() {
        return new EpsilonLimit(report, round, days30, true);
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

    /** Which limit a charge would break, or null if it may be spent. A clock that jumps back frees nothing. */
    String objection(Charge charge, String label, List<Entry> entries, double now) {
        List<Charge> inRound = new ArrayList<>();
        List<Charge> in30Days = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.getRound().equals(label)) {
                inRound.add(entry.charge);
            }
            if (entry.isRecent(now)) {
                in30Days.add(entry.charge);
            }
        }
        Count atOnce = steady ? Charge::alone : Charge::worst;
        Count inTime = steady ? Charge::steady : Charge::worst;
        for (String objection : Arrays.asList(
                     objection("per_report", new ArrayList<>(), charge, atOnce, ofReport()),
                     objection("per_round", inRound, charge, atOnce, ofRound()),
                     objection("per_30_days", in30Days, charge, inTime, days30))) {
            if (objection != null) {
                return objection;
            }
        }
        return null;
    }

    private static String objection(String name, List<Charge> spent, Charge charge, Count count, double limit) {
        double before = count.of(spent);
        spent.add(charge);
        double after = count.of(spent);
        if (after <= billionths(limit)) {
            return null;
        }
        return name + ": " + before / BILLION + " spent and " + (after - before) / BILLION + " asked, the limit is "
                + limit;
    }

    /** The tier of most epsilon that may be spent, or -1. */
    int tier(Charge[] charges, String label, List<Entry> entries, double now) {
        int chosen = -1;
        for (int tier = 0; tier < charges.length; tier++) {
            boolean more = chosen < 0 || charges[tier].epsilon > charges[chosen].epsilon;
            if (more && objection(charges[tier], label, entries, now) == null) {
                chosen = tier;
            }
        }
        return chosen;
    }

    /** Why no tier may be spent: what keeps the least of them. */
    String objectionToAll(Charge[] charges, String label, List<Entry> entries, double now) {
        Charge least = charges[0];
        for (Charge charge : charges) {
            least = charge.epsilon < least.epsilon ? charge : least;
        }
        return objection(least, label, entries, now);
    }

    /** An epsilon in whole billionths: their sums are exact, and equal in all languages. */
    static double billionths(double epsilon) {
        return Math.floor(epsilon * BILLION + 0.5);
    }

    @Override
    public String toString() {
        return "EpsilonLimit(perReport=" + ofReport() + ", perRound=" + ofRound() + ", per30Days=" + days30
                + (steady ? ", steady)" : ")");
    }
}
