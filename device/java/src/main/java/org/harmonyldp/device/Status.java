package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Who a device is, what waits and what was spent, for its owner to read: no value, no credential. */
public final class Status {
    private static final double BILLION = 1e9;

    private final String server;
    private final String device;
    private final boolean withdrawn;
    private final int deletionsToConfirm;
    private final int roundsAnswered;
    private final double spentIn30Days;
    private final double steadyIn30Days;
    private final double spentInAll;
    private final double steadyInAll;
    private final int reportsWaiting;
    private final long bytesWaiting;
    private final double pause;

    private Status(Path directory, double now) throws IOException {
        Identity identity = new IdentityFile(directory).read();
        Withdrawal withdrawal = Withdrawal.read(directory);
        List<Entry> entries = new Ledger(directory).entries();
        Outbox outbox = new Outbox(directory, 0);
        server = identity == null ? null : identity.server;
        device = identity == null ? null : Hex.text(identity.device);
        withdrawn = withdrawal.by != null;
        deletionsToConfirm = withdrawal.pending.size();
        roundsAnswered = entries.size();
        List<Charge> recent = new ArrayList<>();
        List<Charge> all = new ArrayList<>();
        for (Entry entry : entries) {
            all.add(entry.charge);
            if (entry.isRecent(now)) {
                recent.add(entry.charge);
            }
        }
        spentIn30Days = Charge.worst(recent) / BILLION;
        steadyIn30Days = Charge.steady(recent) / BILLION;
        spentInAll = Charge.worst(all) / BILLION;
        steadyInAll = Charge.steady(all) / BILLION;
        reportsWaiting = outbox.waiting().size();
        bytesWaiting = outbox.bytes();
        pause = Backoff.of(directory).remaining(now);
    }

    static Status of(Path directory, double now) throws IOException {
        return new Status(directory, now);
    }

    /** The server that this device enrolled at; null before. */
    public String getServer() {
        return server;
    }

    /** The id that the server issued, in hexadecimal; null before. */
    public String getDevice() {
        return device;
    }

    /** Whether consent was withdrawn. */
    public boolean isWithdrawn() {
        return withdrawn;
    }

    /** How many identities the server has yet to delete. */
    public int getDeletionsToConfirm() {
        return deletionsToConfirm;
    }

    /** How many rounds the ledger has. */
    public int getRoundsAnswered() {
        return roundsAnswered;
    }

    /** The most epsilon that was spent in the last 30 days, whatever the answers did. */
    public double getSpentIn30Days() {
        return spentIn30Days;
    }

    /** The same if no answer of a survey with memory changed. */
    public double getSteadyIn30Days() {
        return steadyIn30Days;
    }

    /** All epsilon that was ever spent. */
    public double getSpentInAll() {
        return spentInAll;
    }

    /** The same if no answer of a survey with memory changed. */
    public double getSteadyInAll() {
        return steadyInAll;
    }

    /** How many reports wait to be acknowledged. */
    public int getReportsWaiting() {
        return reportsWaiting;
    }

    /** How many bytes they take. */
    public long getBytesWaiting() {
        return bytesWaiting;
    }

    /** How long the server is left alone, because it failed. */
    public Duration getPause() {
        return Duration.ofMillis((long) Math.ceil(pause * 1000));
    }

    @Override
    public String toString() {
        return "<Status: server " + server + ", device " + device + ", withdrawn " + withdrawn + ", rounds answered "
                + roundsAnswered + ", epsilon " + spentIn30Days + " in 30 days and " + spentInAll + " in all, waiting "
                + reportsWaiting + ">";
    }
}
