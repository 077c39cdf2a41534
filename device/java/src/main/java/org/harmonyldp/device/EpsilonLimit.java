package org.harmonyldp.device;

/** How much epsilon an owner allows: per report, per round (a label) and per 30 days. */
final class EpsilonLimit {
    private final long perReport;
    private final long perRound;
    private final long per30Days;

    /** NaN where a limit is not given: it is then as large as the next wider one. */
    EpsilonLimit(double perReport, double perRound, double per30Days) {
        this.per30Days = Double.isNaN(per30Days) ? Long.MAX_VALUE : Spending.billionths(per30Days);
        this.perRound = Double.isNaN(perRound) ? this.per30Days : Spending.billionths(perRound);
        this.perReport = Double.isNaN(perReport) ? this.perRound : Spending.billionths(perReport);
    }

    /** The limit that forbids spending an epsilon now, or null. */
    String forbids(double epsilon, String label, Spending spent, long now) {
        long billionths = Spending.billionths(epsilon);
        if (billionths > perReport) {
            return "per_report";
        }
        if (spent.inRound(label) + billionths > perRound) {
            return "per_round";
        }
        return spent.inWindow(now) + billionths > per30Days ? "per_30_days" : null;
    }

    /** The tier of most epsilon that no limit forbids, or -1. */
    int tier(double[] epsilons, String label, Spending spent, long now) {
        int chosen = -1;
        for (int tier = 0; tier < epsilons.length; tier++) {
            boolean more = chosen < 0 || epsilons[tier] > epsilons[chosen];
            if (more && forbids(epsilons[tier], label, spent, now) == null) {
                chosen = tier;
            }
        }
        return chosen;
    }
}
