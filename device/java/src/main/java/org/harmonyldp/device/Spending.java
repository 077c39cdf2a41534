package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.List;

/** What a ledger's lines say was spent, whatever its clock did. */
final class Spending {
    /** Entries count towards the limit for so long. */
    static final long WINDOW = 30 * Times.DAY;

    private static final double BILLION = 1e9;

    private static final class Entry {
        final String round;
        final long billionths;
        final List<Long> dates = new ArrayList<>();

        Entry(LedgerLine line, long latestBefore) {
            round = line.round;
            billionths = billionths(line.epsilon);
            dates.add(line.at);
            if (latestBefore - WINDOW >= line.at) {
                dates.add(latestBefore);
            }
        }

        long earliest() {
            long earliest = Long.MAX_VALUE;
            for (long date : dates) {
                earliest = Math.min(earliest, date);
            }
            return earliest;
        }

        boolean countsAt(long now) {
            for (long date : dates) {
                if (Math.abs(date - now) < WINDOW) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    Spending(List<LedgerLine> lines) {
        long latest = Long.MIN_VALUE / 2;
        for (LedgerLine line : lines) {
            if (line.isAnswer()) {
                entries.add(new Entry(line, latest));
            } else if (line.isClock()) {
                noticed(line.at);
            }
            latest = Math.max(latest, line.at);
        }
    }

    /** A clock that ran ahead was noticed: what it dated to the future is dated to this time as well. */
    private void noticed(long at) {
        for (Entry entry : entries) {
            if (entry.earliest() - WINDOW >= at) {
                entry.dates.add(at);
            }
        }
    }

    /** Whether an entry lies 30 days or more in the future with all of its dates, so that a "clock" line is due. */
    boolean isAhead(long now) {
        for (Entry entry : entries) {
            if (entry.earliest() - WINDOW >= now) {
                return true;
            }
        }
        return false;
    }

    long inRound(String label) {
        long sum = 0;
        for (Entry entry : entries) {
            sum += entry.round.equals(label) ? entry.billionths : 0;
        }
        return sum;
    }

    long inWindow(long now) {
        long sum = 0;
        for (Entry entry : entries) {
            sum += entry.countsAt(now) ? entry.billionths : 0;
        }
        return sum;
    }

    /** Epsilon in whole billionths, so that sums are exact. */
    static long billionths(double epsilon) {
        return (long) Math.floor(epsilon * BILLION + 0.5);
    }
}
