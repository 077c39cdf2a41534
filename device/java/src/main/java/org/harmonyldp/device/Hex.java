package org.harmonyldp.device;

/** Bytes as hexadecimal text. */
final class Hex {
    private static final String DIGITS = "0123456789abcdef";

    private Hex() {
    }

    /** The value of a hexadecimal digit of either case, or -1. */
    static int digit(char one) {
        if (one >= '0' && one <= '9') {
            return one - '0';
        }
        if (one >= 'a' && one <= 'f') {
            return one - 'a' + 10;
        }
        return one >= 'A' && one <= 'F' ? one - 'A' + 10 : -1;
    }

    /** Whether the text is so many hexadecimal digits, of either case. */
    static boolean isHex(String text, int digits) {
        if (text.length() != digits) {
            return false;
        }
        for (int place = 0; place < digits; place++) {
            if (digit(text.charAt(place)) < 0) {
                return false;
            }
        }
        return true;
    }

    static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length() / 2];
        for (int place = 0; place < bytes.length; place++) {
            bytes[place] = (byte) (digit(text.charAt(2 * place)) << 4 | digit(text.charAt(2 * place + 1)));
        }
        return bytes;
    }

    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte one : bytes) {
            text.append(DIGITS.charAt(one >> 4 & 15)).append(DIGITS.charAt(one & 15));
        }
        return text.toString();
    }
}
