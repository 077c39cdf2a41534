package org.harmonyldp.device;

import java.nio.charset.StandardCharsets;

/** One line of the ledger. */
final class LedgerLine {
    final long at;
    final String event;
    final String survey;
    final String round;
    /** What was spent; 0 in lines other than "answered". */
    final double epsilon;

    private LedgerLine(long at, String event, String survey, String round, double epsilon) {
        this.at = at;
        this.event = event;
        this.survey = survey;
        this.round = round;
        this.epsilon = epsilon;
    }

    static LedgerLine read(String line) throws Refused {
        Fields fields = Fields.of(Json.read(line.getBytes(StandardCharsets.UTF_8), Json.MOST_BYTES), "ledger");
        long at = Times.seconds(fields.get("at"));
        String event = fields.text("event");
        if (event.equals("clock") || event.equals("forgotten")) {
            return new LedgerLine(at, event, null, null, 0);
        }
        boolean answered = event.equals("answered");
        if (!answered && !event.equals("accepted") && !event.startsWith("dropped: ")) {
            throw fields.refused("event", "is unknown");
        }
        double epsilon = answered ? fields.number("epsilon") : 0;
        if (answered && epsilon <= 0) {
            throw fields.refused("epsilon", "must be positive");
        }
        if (answered) {
            fields.list("asked", 0, Integer.MAX_VALUE);
        }
        return new LedgerLine(at, event, fields.text("survey"), fields.text("round"), epsilon);
    }

    boolean isAnswer() {
        return event.equals("answered");
    }

    boolean isClock() {
        return event.equals("clock");
    }
}
