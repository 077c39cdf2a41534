/**
 * Bytes, and the 64-bit words in them.
 */

/** The little-endian word at a place. @param {Uint8Array} bytes @param {number} at */
export const wordAt = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);

/** `(draw * n) >> 32` for a draw of 32 bits. @param {bigint} draw @param {number} n */
export const below = (draw, n) => Number((draw * BigInt(n)) >> 32n);

/** The highest 53 bits of a word, which a double holds exactly. @param {bigint} word */
export const top53 = (word) => Number(word >> 11n);

/** @param {string} text @returns {Uint8Array} */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} bytes @returns {string} */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** So many bytes of the platform's CSPRNG, the only randomness that a device uses. @param {number} bytes */
export const random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
