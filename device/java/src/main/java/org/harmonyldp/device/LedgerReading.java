package org.harmonyldp.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What has been read of a ledger so far, line after line. */
final class LedgerReading {
    private final List<Entry> found = new ArrayList<>();
    private final Map<SurveyRound, List<Entry>> byRound = new HashMap<>();
    private double latest = Double.NEGATIVE_INFINITY;

    /** The answered rounds, oldest first; the same twice if two ledgers were merged, for both were spent. */
    List<Entry> entries() {
        return found;
    }

    /** Reads one more line; one that cannot be read is refused. */
    void take(byte[] line) throws Refused {
        // A line of ours may be long: it names what was asked, perhaps in a document that was allowed to be large.
        Fields fields = Fields.of(Json.read(line, Integer.MAX_VALUE), "the line");
        long at = Times.seconds(fields.get("at"));
        String event = fields.text("event");
        if (event.equals(Ledger.CLOCK)) {
            clockWas(at);
        } else if (event.equals(Ledger.ANSWERED)) {
            answered(fields, at);
        } else if (event.equals(Ledger.ACCEPTED) || event.startsWith(Ledger.DROPPED)) {
            for (Entry entry : of(fields)) { // none if its owner started the ledger anew
                entry.became(event);
            }
        } else if (!event.equals(Ledger.FORGOTTEN)) { // of a later version, which may have spent something
            throw new Refused("'event' is unknown");
        }
        latest = Math.max(latest, at);
    }

    private void answered(Fields fields, long at) throws Refused {
        Charge charge = Charge.read(fields);
        List<String> asked = new ArrayList<>();
        for (Object name : fields.list("asked", 0, Integer.MAX_VALUE)) {
            asked.add(String.valueOf(name));
        }
        Entry entry = new Entry(at, fields.text("survey"), fields.text("round"), charge, asked, Round.number(fields));
        if (latest >= at + Entry.DAYS_30) { // the clock was set back, or had run ahead before
            entry.dates.add((long) latest);
        }
        found.add(entry);
        of(fields).add(entry);
    }

    /** What was read of the round that a line is about. */
    private List<Entry> of(Fields fields) throws Refused {
        SurveyRound round = new SurveyRound(fields.text("survey"), fields.text("round"));
        return byRound.computeIfAbsent(round, unused -> new ArrayList<>());
    }

    /** A clock that ran ahead was noticed: what it dated to the far future counts as of this time, too. */
    private void clockWas(long at) {
        for (Entry entry : found) {
            if (entry.isFarAfter(at)) {
                entry.dates.add(at);
            }
        }
    }
}
