package org.harmonyldp.device;

import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that tests move; it has one time zone. */
abstract class UtcClock extends Clock {
    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }
}
