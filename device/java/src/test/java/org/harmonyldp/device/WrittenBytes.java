package org.harmonyldp.device;

import java.util.Arrays;

/** Random bytes that were written down, and that must all be drawn. */
final class WrittenBytes implements RandomBytes {
    private final byte[] bytes;
    private int at;

    WrittenBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public byte[] next(int count) {
        at += count;
        return Arrays.copyOfRange(bytes, at - count, at);
    }

    /** The report in hexadecimal, if all bytes were drawn. */
    String report(byte[] report) {
        return at == bytes.length ? Hex.text(report) : "drew " + at + " random bytes of " + bytes.length;
    }
}
