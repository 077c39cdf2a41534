package org.harmonyldp.device;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 in lower-case hexadecimal. */
final class Sha256 {
    private Sha256() {
    }

    static String hex(byte[] bytes) {
        try {
            return Hex.text(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java platform has SHA-256", error);
        }
    }
}
