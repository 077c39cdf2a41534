package org.harmonyldp.device;

/** The server could not be reached, or answered something that a device cannot use. */
final class ServerTrouble extends Exception {
    private static final long serialVersionUID = 1L;

    /** How many seconds the server asked to be left alone; NaN if it did not. */
    final double retryAfter;

    ServerTrouble(String message, double retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    ServerTrouble(String message) {
        this(message, Double.NaN);
    }
}
