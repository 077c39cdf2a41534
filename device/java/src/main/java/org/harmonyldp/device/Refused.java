package org.harmonyldp.device;

/**
 * A document is not as the protocol says, so the device will not answer it; the message names the field and the
 * problem.
 */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
        super(message);
    }
}
