package org.harmonyldp.device;

/** What was read is not as the protocol says; the message names the field, the problem and never a value of the owner's. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
        super(message);
    }
}
