package org.harmonyldp.device;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** How long a server asks to be left alone. */
final class RetryAfter {
    private static final int MOST_DIGITS = 9;

    private RetryAfter() {
    }

    /**
     * Seconds, from a number or a date (against the server's own clock, where the reply tells it); NaN if neither is
     * given.
     */
    static double of(Reply reply, double now) {
        String text = reply.getHeader("retry-after") == null ? "" : reply.getHeader("retry-after").trim();
        if (isDigits(text)) {
            return Double.parseDouble(text.substring(0, Math.min(text.length(), MOST_DIGITS)));
        }
        try {
            String date = reply.getHeader("date");
            return Math.max(0, seconds(text) - (date == null ? now : seconds(date)));
        } catch (DateTimeException notADate) {
            return Double.NaN;
        }
    }

    private static double seconds(String date) {
        return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
    }

    private static boolean isDigits(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (text.charAt(at) < '0' || text.charAt(at) > '9') {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
