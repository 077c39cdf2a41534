package org.harmonyldp.device;

/** The names that a server may use: they become parts of paths and of file names. */
final class Names {
    /** The bytes of a device's id. */
    static final int ID_BYTES = 16;

    private static final int MOST_NAME = 100;
    private static final int MOST_LABEL = 64;
    private static final int FINGERPRINT_DIGITS = 64;
    private static final int SEED_DIGITS = 32;

    private Names() {
    }

    /** Whether a value is the name of a survey or a training. */
    static boolean isName(Object value) {
        return isMadeOf(value, MOST_NAME, "._-");
    }

    /** Whether a value is the label of a round. */
    static boolean isLabel(Object value) {
        return isMadeOf(value, MOST_LABEL, "._-:");
    }

    /** Whether a value is a SHA-256 in lower-case hexadecimal. */
    static boolean isFingerprint(Object value) {
        return value instanceof String && Hex.isHex((String) value, FINGERPRINT_DIGITS)
                && value.equals(Hex.text(Hex.bytes((String) value)));
    }

    /** Whether a value is the seed of a round, or a device's id: 16 bytes in hexadecimal. */
    static boolean isSeed(Object value) {
        return value instanceof String && Hex.isHex((String) value, SEED_DIGITS);
    }

    private static boolean isMadeOf(Object value, int most, String marks) {
        if (!(value instanceof String)) {
            return false;
        }
        String text = (String) value;
        if (text.isEmpty() || text.length() > most || !isLetterOrDigit(text.charAt(0))) {
            return false;
        }
        for (int at = 1; at < text.length(); at++) {
            if (!isLetterOrDigit(text.charAt(at)) && marks.indexOf(text.charAt(at)) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetterOrDigit(char one) {
        return one >= 'a' && one <= 'z' || one >= 'A' && one <= 'Z' || one >= '0' && one <= '9';
    }
}
