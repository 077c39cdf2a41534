package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The owner's consent, as the app tells it and as this directory remembers it.
 *
 * <p>Withdrawing first writes down which identity the server must delete, then removes the identity, the waiting
 * reports, the memos and the documents. Each step may be repeated, so a crash between two of them is finished on the
 * next occasion. The ledger stays: what was spent stays spent. An owner who used {@code forget} stays forgotten,
 * whatever the app says, until {@code rejoin}.
 */
final class Consent {
    private final Path directory;
    private final BooleanSupplier given;
    private final DirectoryLock lock;

    Consent(Path directory, BooleanSupplier given) {
        this.directory = directory;
        this.given = given;
        this.lock = new DirectoryLock(directory);
    }

    /** Whether a request may go out now. */
    boolean isGiven() throws IOException {
        return given.getAsBoolean() && Withdrawal.read(directory).by == null;
    }

    /** Carries out what consent demands of the disk, and says whether it is given. */
    boolean settle(double now) throws IOException {
        boolean isGiven = given.getAsBoolean();
        if (!isGiven && !Files.isDirectory(directory)) {
            return false;
        }
        try (DirectoryLock.Held held = lock.hold()) {
            Withdrawal withdrawal = Withdrawal.read(directory);
            if (!isGiven && withdrawal.by == null) {
                withdrawal.by = Withdrawal.BY_CONSENT;
            }
            if (withdrawal.by != null) {
                erase(withdrawal, now);
            }
            if (isGiven && Withdrawal.BY_CONSENT.equals(withdrawal.by)) {
                withdrawal.by = null;
                withdrawal.write();
            }
            return withdrawal.by == null;
        }
    }

    /** Withdraws consent for good: only {@link #rejoin} undoes it. */
    void forget(double now) throws IOException {
        try (DirectoryLock.Held held = lock.hold()) {
            Withdrawal withdrawal = Withdrawal.read(directory);
            if (!Withdrawal.BY_FORGETTING.equals(withdrawal.by)) {
                withdrawal.by = Withdrawal.BY_FORGETTING;
                withdrawal.write();
            }
            erase(withdrawal, now);
        }
    }

    /** Undoes {@link #forget}: the owner consents again, under a new identity. */
    void rejoin() throws IOException {
        try (DirectoryLock.Held held = lock.hold()) {
            Withdrawal withdrawal = Withdrawal.read(directory);
            withdrawal.by = null;
            withdrawal.write();
        }
    }

    /** The identities that the server has yet to delete, and since when. */
    List<Withdrawal.Pending> pending() throws IOException {
        return Withdrawal.read(directory).pending;
    }

    /** Forgets the last of an identity: the server has deleted it. */
    void confirmed(Identity identity) throws IOException {
        try (DirectoryLock.Held held = lock.hold()) {
            Withdrawal withdrawal = Withdrawal.read(directory);
            withdrawal.confirmed(identity.device);
            if (withdrawal.pending.isEmpty() && Withdrawal.BY_CONSENT.equals(withdrawal.by)) {
                withdrawal.by = null; // what the app says is enough, now that all is deleted
            }
            withdrawal.write();
        }
    }

    private void erase(Withdrawal withdrawal, double now) throws IOException {
        IdentityFile identities = new IdentityFile(directory);
        Identity identity = identities.read();
        if (identity != null && !withdrawal.isPending(identity.device)) {
            withdrawal.pending.add(new Withdrawal.Pending(identity, now));
            withdrawal.write();
            new Ledger(directory).noteForgotten(now);
        }
        identities.remove();
        new Outbox(directory, 0).clear();
        new Memos(directory).clear();
        new Documents(directory).keepOnly(Collections.<String>emptySet());
    }
}
