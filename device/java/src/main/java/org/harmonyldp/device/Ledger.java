package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ledger file of a device's directory: one JSON object a line, which its owner can read and nothing rewrites.
 *
 * <p>Privacy: {@link #charge} is durable before a report is drawn, so a crash can lose a report that was paid for but
 * never make one that was not. The ledger holds no value and no symbol.
 */
final class Ledger {
    static final String ANSWERED = "answered";
    static final String ACCEPTED = "accepted";
    static final String DROPPED = "dropped: ";
    static final String FORGOTTEN = "forgotten";
    static final String CLOCK = "clock";

    private final Path path;

    Ledger(Path directory) {
        path = directory.resolve("ledger.jsonl");
    }

    /** Writes down, durably, that epsilon is spent. */
    void charge(double now, String survey, Round round, Charge charge, List<String> asked) throws IOException {
        Map<String, Object> line = line(now, ANSWERED);
        line.put("survey", survey);
        line.put("round", round.label);
        line.put("epsilon", charge.epsilon);
        line.put("asked", asked);
        if (round.number != null) {
            line.put("number", round.number);
        }
        if (charge.memo != null) {
            line.put("memory", charge.memory);
            line.put("change", charge.change);
            line.put("memo", charge.memo);
        }
        append(line);
    }

    /** Writes down what became of a report. */
    void note(double now, String survey, String round, String state) throws IOException {
        Map<String, Object> line = line(now, state);
        line.put("survey", survey);
        line.put("round", round);
        append(line);
    }

    /** Writes down that consent was withdrawn. What was spent stays spent. */
    void noteForgotten(double now) throws IOException {
        append(line(now, FORGOTTEN));
    }

    /** Writes down the time if entries are dated far in the future: their clock ran ahead, and now it is noticed. */
    void noteClock(double now) throws IOException {
        for (Entry entry : entries()) {
            if (entry.isFarAfter(now)) {
                append(line(now, CLOCK));
                return;
            }
        }
    }

    /**
     * Every answered round, oldest first.
     *
     * <p>A last line without its end is a crash before anything was drawn: it does not count. Any other line that
     * cannot be read means that spending is unknown.
     */
    List<Entry> entries() throws IOException {
        byte[] content = Durable.read(path);
        LedgerReading reading = new LedgerReading();
        int start = 0;
        int number = 1;
        for (int at = 0; content != null && at < content.length; at++) {
            if (content[at] != '\n') {
                continue;
            }
            try {
                reading.take(Arrays.copyOfRange(content, start, at));
            } catch (Refused damage) {
                throw new LedgerException(path + ", line " + number
                        + ": damaged, so what was spent is unknown and nothing more is "
                        + "answered; restore the file, or move it away to start anew");
            }
            start = at + 1;
            number++;
        }
        return reading.entries();
    }

    private static Map<String, Object> line(double now, String event) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("at", Times.text((long) Math.floor(now)));
        line.put("event", event);
        return line;
    }

    private void append(Map<String, Object> line) throws IOException {
        Durable.appendLine(path, JsonText.of(line).getBytes(StandardCharsets.UTF_8));
    }
}
