package org.harmonyldp.device;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * One participant, whose whole state is in a directory: it visits its server, answers what is open, and resends until
 * it is heard.
 *
 * <pre>{@code
 * try (Device device = Device.builder("https://stats.example.org", directory)
 *         .record("battery", Kind.NUMBER)
 *         .record("theme", Kind.TEXT)
 *         .consent(settings::sharesStatistics)
 *         .epsilonLimit(EpsilonLimit.per30Days(4).perReport(1))
 *         .build()) {
 *     Visit visit = device.answer(values);
 * }
 * }</pre>
 *
 * <p>Every method blocks: call it from a worker. Several processes may share a directory; a Device is for one thread at
 * a time.
 */
public final class Device implements Closeable {
    private static final double TOO_OLD = 90 * Times.DAY;

    /** How a device waits. */
    interface Sleeper {
        void sleep(double seconds) throws InterruptedException;
    }

    private final Path directory;
    private final DeviceState state;
    private final Sleeper sleeper;
    private final Sending sending;
    private final Answering answering;

    Device(Path directory, DeviceState state, Sleeper sleeper) {
        this.directory = directory;
        this.state = state;
        this.sleeper = sleeper;
        Enrolment enrolment = new Enrolment(state);
        this.sending = new Sending(state, enrolment);
        this.answering = new Answering(state, enrolment);
    }

    /**
     * Starts to describe a device.
     *
     * @param server the server's URL, such as {@code https://stats.example.org}
     * @param directory where the device keeps its state, such as {@code
     *         context.getNoBackupFilesDir().toPath().resolve("harmony")};
     *     it belongs to one server
     */
    public static DeviceBuilder builder(String server, Path directory) {
        return new DeviceBuilder(server, directory);
    }

    /** Answers what is open and sends what waits; see {@link #answer(Map, Duration)}. */
    public Visit answer(Map<String, ?> values) {
        return answer(values, Duration.ZERO);
    }

    /**
     * Answers each open survey once, takes part once in each training, sends what waits, and says what happened.
     *
     * <p>Nothing about a value is thrown or decides what is sent, and who has none answers as well;
     * {@link Visit#getWarnings} tells the app's developer. A server that cannot be reached, a full disk or a damaged
     * ledger is no exception: {@link Visit#getTrouble} says so, and the next visit goes on.
     *
     * @param patience how long this call may wait for further attempts, or for a training's task
     */
    public Visit answer(Map<String, ?> values, Duration patience) {
        return visit(name -> values == null ? null : values.get(name), values, patience);
    }

    /** The same for values that are read by their names; a function that throws has no value. */
    public Visit answer(Function<String, ?> values) {
        return answer(values, Duration.ZERO);
    }

    /** The same for values that are read by their names; a function that throws has no value. */
    public Visit answer(Function<String, ?> values, Duration patience) {
        return visit(name -> values == null ? null : values.apply(name), null, patience);
    }

    /** Sends every waiting report, answering nothing new. */
    public Visit send() {
        return visit(null, null, Duration.ZERO);
    }

    /** What was asked, when, and how much epsilon it spent, oldest first. */
    public List<Entry> ledger() throws IOException {
        return state.ledger.entries();
    }

    /** Who this device is, what waits and what was spent. */
    public Status status() throws IOException {
        return Status.of(directory, state.now());
    }

    /**
     * Withdraws consent: deletes everything but the ledger, and asks the server to delete, too.
     *
     * @return whether the server has confirmed; if not, every later visit asks again
     */
    public synchronized boolean forget() throws IOException {
        state.consent.forget(state.now());
        try {
            finishWithdrawals();
        } catch (ServerTrouble notNow) {
            return false;
        }
        return state.consent.pending().isEmpty();
    }

    /** Consents again after {@link #forget}; the next visit enrols under a new identity. */
    public synchronized void rejoin() throws IOException {
        state.consent.rejoin();
    }

    /** Closes the connections to the server. */
    @Override
    public void close() throws IOException {
        state.server.close();
    }

    private synchronized Visit visit(Function<String, ?> values, Map<String, ?> named, Duration patience) {
        Visit visit = new Visit();
        double left = patience.toMillis() / 1000.0;
        while (true) {
            attempt(values, named, visit);
            if (!(visit.nextAttempt <= left)) {
                break;
            }
            left -= visit.nextAttempt;
            try {
                sleeper.sleep(visit.nextAttempt);
            } catch (InterruptedException interruption) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        try {
            visit.waiting = state.outbox.waiting().size();
        } catch (IOException problem) {
            visit.trouble = unusable(problem);
        }
        return visit;
    }

    private void attempt(Function<String, ?> values, Map<String, ?> named, Visit visit) {
        visit.trouble = null;
        visit.nextAttempt = Double.NaN;
        try {
            boolean consented = state.consent.settle(state.now());
            double remaining = state.backoff.remaining(state.now());
            if (remaining > 0) {
                visit.trouble = "the server is left alone for a while";
                visit.nextAttempt = remaining;
                return;
            }
            try {
                finishWithdrawals();
                if (!consented) {
                    throw new NoConsent();
                }
                sending.sendWaiting(visit);
                if (values != null) {
                    if (named != null) {
                        visit.warn(state.record.unknown(named));
                    }
                    answering.answerAll(values, visit);
                    sending.sendWaiting(visit);
                }
            } catch (ServerTrouble problem) {
                visit.trouble = problem.getMessage();
                try (DirectoryLock.Held held = state.lock.hold()) {
                    visit.nextAttempt = state.backoff.failed(state.now(), problem.retryAfter, state.random);
                }
                return;
            }
            try (DirectoryLock.Held held = state.lock.hold()) {
                state.backoff.succeeded();
            }
        } catch (NoConsent problem) {
            visit.trouble = problem.getMessage();
        } catch (IOException problem) {
            visit.trouble = unusable(problem);
        }
    }

    private static String unusable(IOException problem) {
        return problem instanceof LedgerException ? problem.getMessage()
                                                  : "the directory cannot be used: " + problem.getMessage();
    }

    private void finishWithdrawals() throws IOException, ServerTrouble {
        for (Withdrawal.Pending one : state.consent.pending()) {
            if (!one.identity.server.equals(state.server.url)) {
                continue;
            }
            Reply reply = state.server.delete(one.identity);
            int status = reply.getStatus();
            boolean refused = status == 401; // it may pass, when a server's keys are mended; or it may not, ever
            if (status == 200 || status == 204 || Server.isGone(reply)
                    || refused && state.now() - one.since > TOO_OLD) {
                state.consent.confirmed(one.identity);
            } else if (!refused) {
                throw state.server.trouble(reply, "deletion");
            }
        }
    }
}
