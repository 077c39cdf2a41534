import { view } from "./words.js";

/**
 * Add lane b to lane a, then turn lane b left by r bits and mix lane a into it; a lane is two halves, the low one first.
 *
 * @param {Uint32Array} v @param {number} a @param {number} b @param {number} r
 */
function half(v, a, b, r) {
  const sum = v[a] + v[b];
  v[a + 1] += v[b + 1] + (sum > 0xffffffff ? 1 : 0);
  v[a] = sum;
  const low = v[b];
  const high = v[b + 1];
  v[b] = ((low << r) | (high >>> (32 - r))) ^ v[a];
  v[b + 1] = ((high << r) | (low >>> (32 - r))) ^ v[a + 1];
}

/** @param {Uint32Array} v @param {number} a */
function swap(v, a) {
  const low = v[a];
  v[a] = v[a + 1];
  v[a + 1] = low;
}

/** @param {Uint32Array} v @param {number} times */
function rounds(v, times) {
  for (; times--; ) {
    half(v, 0, 2, 13);
    half(v, 4, 6, 16);
    swap(v, 0);
    half(v, 0, 6, 21);
    half(v, 4, 2, 17);
    swap(v, 4);
  }
}

/**
 * SipHash-2-4 of a message under a key of 16 bytes: the low and the high half of the word.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {[number, number]}
 */
export function siphash(key, message) {
  const padded = new Uint8Array((message.length + 8) & ~7);
  padded.set(message);
  padded[padded.length - 1] = message.length;
  const words = view(padded);
  const keys = view(key);
  const v = new Uint32Array(8);
  // "somepseudorandomlygeneratedbytes", four words with their low halves first.
  [0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261, 0x6e657261, 0x6c796765, 0x79746573, 0x74656462].forEach((constant, i) => {
    v[i] = constant ^ keys.getUint32((i & 3) * 4, true);
  });
  for (let at = 0; at < padded.length; at += 8) {
    const low = words.getUint32(at, true);
    const high = words.getUint32(at + 4, true);
    v[6] ^= low;
    v[7] ^= high;
    rounds(v, 2);
    v[0] ^= low;
    v[1] ^= high;
  }
  v[4] ^= 0xff;
  rounds(v, 4);
  return [(v[0] ^ v[2] ^ v[4] ^ v[6]) >>> 0, (v[1] ^ v[3] ^ v[5] ^ v[7]) >>> 0];
}
