package org.harmonyldp.device;

import java.time.Instant;

/** A clock that stands still until a test, or a sleep, moves it. */
final class TestClock extends UtcClock {
    double now = 1.8e9;
    double slept;

    void sleep(double seconds) {
        slept += seconds;
        now += seconds;
    }

    void to(String time) {
        now = Instant.parse(time).getEpochSecond();
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(Math.round(now * 1000));
    }
}
