package org.harmonyldp.device;

import java.time.DateTimeException;
import java.time.Instant;

/** Times as text, {@code YYYY-MM-DDTHH:MM:SSZ}, and as seconds since 1970. */
final class Times {
    static final long DAY = 86_400;

    private static final int CHARACTERS = 20;

    /** The first year of all languages: some have one before it, and some do not. */
    private static final String FIRST = "0001";

    private Times() {
    }

    static String text(long seconds) {
        return Instant.ofEpochSecond(seconds).toString();
    }

    static long seconds(Object text) throws Refused {
        if (text instanceof String && ((String) text).length() == CHARACTERS) {
            try {
                long seconds = Instant.parse((String) text).getEpochSecond();
                if (text(seconds).equals(text) && FIRST.compareTo((String) text) < 0) {
                    return seconds;
                }
            } catch (DateTimeException error) {
                throw new Refused("a time must be written YYYY-MM-DDTHH:MM:SSZ");
            }
        }
        throw new Refused("a time must be written YYYY-MM-DDTHH:MM:SSZ");
    }
}
