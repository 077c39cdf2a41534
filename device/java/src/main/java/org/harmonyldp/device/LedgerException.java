package org.harmonyldp.device;

import java.io.IOException;

/** The ledger cannot be read, so nothing more may be spent until its owner repairs it. */
public final class LedgerException extends IOException {
    private static final long serialVersionUID = 1L;

    LedgerException(String message) {
        super(message);
    }
}
