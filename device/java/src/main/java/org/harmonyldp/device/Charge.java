package org.harmonyldp.device;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a report spends.
 *
 * <p>In a survey with memory all reports whose answer never changes spend {@code memory} together, and each spends
 * {@code change} in the worst case, whatever the answers do; {@code memo} names what they have in common.
 */
final class Charge {
    final double epsilon;
    final double memory;
    final double change;
    /** Null without memory. */
    final String memo;

    Charge(double epsilon) {
        this(epsilon, Double.POSITIVE_INFINITY, epsilon, null);
    }

    Charge(double epsilon, double memory, double change, String memo) {
        this.epsilon = epsilon;
        this.memory = memory;
        this.change = change;
        this.memo = memo;
    }

    /** What a line of a ledger spent; one that does not say so is refused. */
    static Charge read(Fields line) throws Refused {
        double epsilon = positive(line, "epsilon");
        if (line.get("memory") == null && line.get("change") == null && line.get("memo") == null) {
            return new Charge(epsilon);
        }
        return new Charge(epsilon, positive(line, "memory"), positive(line, "change"), line.text("memo"));
    }

    private static double positive(Fields line, String name) throws Refused {
        double epsilon = line.number(name);
        if (epsilon <= 0) {
            throw line.refused(name, "must be positive");
        }
        return epsilon;
    }

    /** What charges come to whatever the answers did, in whole billionths. */
    static double worst(List<Charge> charges) {
        double sum = 0;
        for (Charge charge : charges) {
            sum += EpsilonLimit.billionths(charge.change);
        }
        return sum;
    }

    /** What charges come to, each for itself, if its answer never changes. */
    static double alone(List<Charge> charges) {
        double sum = 0;
        for (Charge charge : charges) {
            sum += EpsilonLimit.billionths(charge.epsilon);
        }
        return sum;
    }

    /** What charges come to if no answer of a survey with memory changed: those of one memo, its memory at most. */
    static double steady(List<Charge> charges) {
        Map<String, double[]> memos = new HashMap<>();
        for (Charge charge : charges) {
            double[] both = memos.get(charge.memo);
            if (both == null) {
                both = new double[2];
                memos.put(charge.memo, both);
            }
            both[0] = Math.max(both[0], EpsilonLimit.billionths(charge.memory));
            both[1] += EpsilonLimit.billionths(charge.change);
        }
        double sum = 0;
        for (double[] both : memos.values()) {
            sum += Math.min(both[0], both[1]);
        }
        return sum;
    }
}
