package org.harmonyldp.device;

import java.io.IOException;

/**
 * This device's identity: asked for the first time, and renewed well before a server drops the key it was made with.
 */
final class Enrolment {
    private static final double RENEWAL = 30 * Times.DAY;

    private final DeviceState state;

    Enrolment(DeviceState state) {
        this.state = state;
    }

    Identity identity() throws IOException, ServerTrouble, NoConsent {
        try (DirectoryLock.Held held = state.lock.hold()) {
            Identity identity = state.identities.read();
            if (identity != null && !identity.server.equals(state.server.url)) {
                throw new IOException(
                        "'directory' belongs to a device of " + identity.server + "; use a directory for each server");
            }
            if (identity != null && Math.abs(state.now() - identity.renewed) < RENEWAL) {
                return identity;
            }
            Server server = state.consentedServer();
            Identity issued = identity == null ? server.enrol(state.key) : server.renew(identity);
            Identity renewed = issued.renewedAt(state.now());
            state.identities.write(renewed);
            return renewed;
        }
    }
}
