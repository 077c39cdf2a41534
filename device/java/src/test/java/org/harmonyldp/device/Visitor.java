package org.harmonyldp.device;

import java.io.IOException;
import java.nio.file.Paths;
import java.time.Instant;

/**
 * A device that visits its server again and again, and now and then forgets, until it is killed
 * (tests/java/test_crashes.py).
 */
final class Visitor {
    private static final int VISITS_UNTIL_IT_FORGETS = 9;

    private Visitor() {
    }

    /** A clock that runs a thousand times as fast from its origin on, so that pauses after a failure cost nothing. */
    private static final class FastClock extends UtcClock {
        private final long origin;

        FastClock(long origin) {
            this.origin = origin;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(origin + (System.currentTimeMillis() - origin) * 1000);
        }
    }

    /**
     * Visits {@code arguments[0]} from the directory {@code arguments[1]}, {@code arguments[2]} times or until it is
     * killed; {@code arguments[3]} is the clock's origin, in milliseconds.
     */
    public static void main(String[] arguments) throws IOException {
        Device device = Device.builder(arguments[0], Paths.get(arguments[1]))
                                .record("battery", Kind.NUMBER)
                                .record("wifi", Kind.BOOLEAN)
                                .record("age", Kind.NUMBER)
                                .consent(true)
                                .epsilonLimit(1e9)
                                .clock(new FastClock(Long.parseLong(arguments[3])))
                                .build();
        System.out.println("ready");
        for (long visit = 1; visit <= Long.parseLong(arguments[2]); visit++) {
            System.out.println(device.answer(name -> name.equals("wifi") ? (Object) true : (Object) 33));
            if (visit % VISITS_UNTIL_IT_FORGETS == 0) {
                device.forget();
                device.rejoin();
            }
        }
    }
}
