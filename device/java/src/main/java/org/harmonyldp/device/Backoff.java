package org.harmonyldp.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * How long to leave a server alone after it failed, also across restarts.
 *
 * <p>Pauses double from two seconds to an hour, each shortened at random by up to half, so that a fleet that failed
 * together does not come back together.
 */
final class Backoff {
    private static final double FIRST_PAUSE = 2;
    private static final double LONGEST_PAUSE = 3_600;
    private static final double LONGEST_RETRY_AFTER = 86_400;
    private static final int MOST_DOUBLINGS = 30;

    private final Path path;
    private long failures;
    private double until;
    private double length;

    Backoff(Path path) {
        this.path = path;
    }

    static Backoff of(Path directory) {
        return new Backoff(directory.resolve("backoff.txt"));
    }

    /** How many seconds of the pause are left; a clock that is set back cannot prolong it. */
    double remaining(double now) throws IOException {
        read();
        return failures > 0 ? Math.min(Math.max(0, until - now), length) : 0;
    }

    /** Starts the next pause, of at least what the server asked for (NaN if it did not), and returns its length. */
    double failed(double now, double retryAfter, RandomBytes random) throws IOException {
        read();
        double longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * Math.pow(2, Math.min(failures, MOST_DOUBLINGS)));
        double pause = longest * (0.5 + SipHash.littleEndian(random.next(4), 0, 4) * 0x1p-33);
        if (!Double.isNaN(retryAfter)) {
            pause = Math.max(pause, Math.min(retryAfter, LONGEST_RETRY_AFTER));
        }
        return write(failures + 1, now, pause);
    }

    /** Starts a pause of the length that the server asked for, which is no failure. */
    double told(double now, double seconds) throws IOException {
        return write(1, now, Math.min(seconds, LONGEST_RETRY_AFTER));
    }

    /** Forgets past failures. */
    void succeeded() throws IOException {
        Durable.remove(path);
    }

    private double write(long newFailures, double now, double pause) throws IOException {
        String line = newFailures + " " + (now + pause) + " " + pause + "\n";
        Durable.write(path, line.getBytes(StandardCharsets.UTF_8));
        return pause;
    }

    private void read() throws IOException {
        failures = 0;
        byte[] content = Durable.read(path);
        if (content == null) {
            return;
        }
        String[] parts = new String(content, StandardCharsets.UTF_8).trim().split(" ");
        try {
            if (parts.length == 3) {
                until = Double.parseDouble(parts[1]);
                length = Math.min(Double.parseDouble(parts[2]), LONGEST_RETRY_AFTER);
                failures = Double.isNaN(until) || Double.isNaN(length) ? 0 : Math.max(0, Long.parseLong(parts[0]));
            }
        } catch (NumberFormatException damage) {
            failures = 0;
        }
    }
}
