package org.harmonyldp.device;

/** Consent is not given, or ended while a visit was under way. */
final class NoConsent extends Exception {
    private static final long serialVersionUID = 1L;

    NoConsent() {
        super("consent is not given");
    }
}
