package org.harmonyldp.device;

/** SipHash-2-4: a keyed hash of a short message to 64 bits. */
final class SipHash {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    private SipHash(byte[] key) {
        long k0 = littleEndian(key, 0, 8);
        long k1 = littleEndian(key, 8, 8);
        v0 = k0 ^ 0x736f6d6570736575L;
        v1 = k1 ^ 0x646f72616e646f6dL;
        v2 = k0 ^ 0x6c7967656e657261L;
        v3 = k1 ^ 0x7465646279746573L;
    }

    /** The hash of a message under a key of 16 bytes. */
    static long word(byte[] key, byte[] message) {
        SipHash state = new SipHash(key);
        int whole = message.length & ~7;
        for (int at = 0; at < whole; at += 8) {
            state.compress(littleEndian(message, at, 8));
        }
        state.compress(littleEndian(message, whole, message.length - whole) | (long) message.length << 56);
        return state.finish();
    }

    /** Up to eight bytes as a number, the lowest first. */
    static long littleEndian(byte[] bytes, int from, int count) {
        long word = 0;
        for (int place = count - 1; place >= 0; place--) {
            word = word << 8 | bytes[from + place] & 0xff;
        }
        return word;
    }

    private void compress(long word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    private long finish() {
        v2 ^= 0xff;
        round();
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
