package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has been read of a ledger so far, line after line. */
final class LedgerReading {
    private final Map<SurveyRound, Entry> found = new LinkedHashMap<>();
    private double latest = Double.NEGATIVE_INFINITY;

    /** The answered rounds, in the order of their first lines. */
    List<Entry> entries() {
        return new ArrayList<>(found.values());
    }

    /** Reads one more line; one that cannot be read is refused. */
    void take(byte[] line) throws Refused {
        Fields fields = Fields.of(Json.read(line, Json.MOST_BYTES), "the line");
        long at = Times.seconds(fields.get("at"));
        String event = fields.text("event");
        if (event.equals(Ledger.CLOCK)) {
            clockWas(at);
        } else if (event.equals(Ledger.ANSWERED)) {
            answered(fields, at);
        } else if (event.equals(Ledger.ACCEPTED) || event.startsWith(Ledger.DROPPED)) {
            Entry entry = found.get(new SurveyRound(fields.text("survey"), fields.text("round")));
            if (entry != null) { // else its owner started the ledger anew
                entry.became(event);
            }
        } else if (!event.equals(Ledger.FORGOTTEN)) { // of a later version, which may have spent something
            throw new Refused("'event' is unknown");
        }
        latest = Math.max(latest, at);
    }

    private void answered(Fields fields, long at) throws Refused {
        double epsilon = fields.number("epsilon");
        if (epsilon <= 0) {
            throw fields.refused("epsilon", "must be positive");
        }
        List<String> asked = new ArrayList<>();
        for (Object name : fields.list("asked", 0, Integer.MAX_VALUE)) {
            asked.add(String.valueOf(name));
        }
        SurveyRound round = new SurveyRound(fields.text("survey"), fields.text("round"));
        Entry entry = new Entry(at, round.getSurvey(), round.getRound(), epsilon, asked, found.get(round));
        if (latest >= at + Entry.DAYS_30) { // the clock was set back, or had run ahead before
            entry.dates.add((long) latest);
        }
        found.put(round, entry);
    }

    /** A clock that ran ahead was noticed: what it dated to the far future counts as of this time, too. */
    private void clockWas(long at) {
        for (Entry entry : found.values()) {
            if (entry.isFarAfter(at)) {
                entry.dates.add(at);
            }
        }
    }
}
