package org.harmonyldp.device;

/** The device's clock: seconds since 1970. */
interface Now {
    double seconds();
}
