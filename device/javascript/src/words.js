/**
 * Words of 64 bits as two halves, and what is drawn from them without a rounding error.
 */

/** @param {Uint8Array} bytes @returns {DataView} */
export const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * `(draw * n) >> 32` for a draw of 32 bits and n of at most 2^31, exactly: both products stay below 2^48.
 *
 * @param {number} draw
 * @param {number} n
 */
export const below = (draw, n) =>
  Math.floor((draw * (n >>> 16) + Math.floor((draw * (n & 0xffff)) / 0x10000)) / 0x10000);

/**
 * The highest 53 bits of the little-endian word at a place.
 *
 * @param {DataView} bytes
 * @param {number} at
 */
export const top53 = (bytes, at) => bytes.getUint32(at + 4, true) * 0x200000 + (bytes.getUint32(at, true) >>> 11);

/** @param {string} text @returns {Uint8Array} */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} bytes @returns {string} */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
