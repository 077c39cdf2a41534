package org.harmonyldp.device;

/** Where random bytes come from: the operating system, or a test. */
interface RandomBytes {
    byte[] next(int count);
}
