package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** What the parts of a device share: its directory's files, its server, its clock, and what the app declared. */
final class DeviceState {
    final DirectoryLock lock;
    final Consent consent;
    final IdentityFile identities;
    final Ledger ledger;
    final Outbox outbox;
    final Memos memos;
    final long mostWaitingBytes;
    final Surveys surveys;
    final Backoff backoff;
    final Pauses pauses;
    final Server server;
    final AppRecord record;
    final EpsilonLimit limit;
    /** The fingerprints that the app's authors reviewed, by survey; null where any document may be answered. */
    final Map<String, String> reviewed;
    final String key;
    final int mostDocumentBytes;
    final RandomBytes random;
    final Now clock;

    DeviceState(DeviceBuilder built, Path directory, Server server, Now clock) {
        this.lock = new DirectoryLock(directory);
        this.consent = new Consent(directory, built.consent);
        this.identities = new IdentityFile(directory);
        this.ledger = new Ledger(directory);
        this.mostWaitingBytes = built.mostWaitingBytes;
        this.outbox = new Outbox(directory, built.mostWaitingBytes);
        this.memos = new Memos(directory);
        this.surveys = new Surveys(directory, built.mostDocumentBytes);
        this.backoff = Backoff.of(directory);
        this.pauses = new Pauses(directory);
        this.server = server;
        this.record = new AppRecord(built.record);
        this.limit = built.epsilonLimit;
        this.reviewed = built.surveys;
        this.key = built.key;
        this.mostDocumentBytes = built.mostDocumentBytes;
        this.random = built.random;
        this.clock = clock;
    }

    double now() {
        return clock.seconds();
    }

    /** The server, for every request but a deletion: there only while consent is. */
    Server consentedServer() throws IOException, NoConsent {
        if (!consent.isGiven()) {
            throw new NoConsent();
        }
        return server;
    }
}
