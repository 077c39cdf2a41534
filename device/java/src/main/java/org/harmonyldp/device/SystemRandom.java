package org.harmonyldp.device;

import java.security.SecureRandom;

/** Random bytes of the operating system. */
final class SystemRandom implements RandomBytes {
    private final SecureRandom source = new SecureRandom();

    @Override
    public byte[] next(int count) {
        byte[] bytes = new byte[count];
        source.nextBytes(bytes);
        return bytes;
    }
}
