package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reports on disk that the server has not acknowledged yet, a file each.
 *
 * <p>A report is written here before it is first sent, and sent from here only, so that what is sent again after a lost
 * answer or a crash is the same bytes.
 */
final class Outbox {
    private static final String ENDING = ".json";
    private static final double LONG_TIME = 1e12 + 0.123456;

    /** A report that waits to be acknowledged. */
    static final class Waiting {
        final String survey;
        final String round;
        final byte[] report;
        final double at;
        final String file;

        Waiting(String survey, String round, byte[] report, double at) {
            this.survey = survey;
            this.round = round;
            this.report = report;
            this.at = at;
            this.file = fileOf(survey, round);
        }
    }

    private final Path folder;
    private final long mostBytes;

    Outbox(Path directory, long mostBytes) {
        this.folder = directory.resolve("outbox");
        this.mostBytes = mostBytes;
    }

    /** The file of a round's report: the same round never has two. */
    static String fileOf(String survey, String round) {
        byte[] both = (survey + "\n" + round).getBytes(StandardCharsets.UTF_8);
        return Sha256.hex(both).substring(0, 32) + ENDING;
    }

    /** Keeps a report, durably, before it is first sent. */
    void add(String survey, String round, byte[] report, double now) throws IOException {
        Durable.makeDirectory(folder);
        removeUnfinished();
        Durable.write(folder.resolve(fileOf(survey, round)), content(survey, round, report, now));
    }

    /** Whether one more report of this size may be kept. */
    boolean hasRoom(String survey, String round, int reportBytes) throws IOException {
        return bytes() + content(survey, round, new byte[reportBytes], LONG_TIME).length <= mostBytes;
    }

    /** How many bytes the waiting reports take. */
    long bytes() throws IOException {
        long bytes = 0;
        for (String file : files()) {
            bytes += Files.size(folder.resolve(file));
        }
        return bytes;
    }

    /** The reports that can be read, oldest first. */
    List<Waiting> waiting() throws IOException {
        List<Waiting> waiting = new ArrayList<>();
        for (String file : files()) {
            Waiting one = read(file);
            if (one != null) {
                waiting.add(one);
            }
        }
        Collections.sort(waiting, (one, other) -> Double.compare(one.at, other.at));
        return waiting;
    }

    /** The files that hold no report. */
    List<String> damaged() throws IOException {
        List<String> damaged = new ArrayList<>();
        for (String file : files()) {
            if (read(file) == null) {
                damaged.add(file);
            }
        }
        return damaged;
    }

    /** Removes a report; another process may have done so already. */
    void remove(String file) throws IOException {
        Durable.remove(folder.resolve(file));
    }

    /** Removes everything, what a crash left unfinished as well. */
    void clear() throws IOException {
        for (String file : Folder.files(folder)) {
            remove(file);
        }
    }

    /** Removes what a crash left half written: it was never sent and never will be. */
    private void removeUnfinished() throws IOException {
        for (String file : Folder.files(folder)) {
            if (!file.endsWith(ENDING)) {
                remove(file);
            }
        }
    }

    private List<String> files() throws IOException {
        List<String> files = new ArrayList<>();
        for (String file : Folder.files(folder)) {
            if (file.endsWith(ENDING)) {
                files.add(file);
            }
        }
        return files;
    }

    private Waiting read(String file) throws IOException {
        Fields fields = Kept.read(folder.resolve(file));
        try {
            if (fields == null) {
                return null;
            }
            String report = fields.text("report");
            if (report.length() % 2 != 0 || !Hex.isHex(report, report.length())) {
                return null;
            }
            Waiting waiting =
                    new Waiting(fields.text("survey"), fields.text("round"), Hex.bytes(report), fields.number("at"));
            return waiting.file.equals(file) ? waiting : null;
        } catch (Refused damage) {
            return null;
        }
    }

    private static byte[] content(String survey, String round, byte[] report, double at) {
        Map<String, Object> kept = new LinkedHashMap<>();
        kept.put("survey", survey);
        kept.put("round", round);
        kept.put("report", Hex.text(report));
        kept.put("at", at);
        return (JsonText.of(kept) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
