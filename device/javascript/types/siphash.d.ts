/**
 * SipHash-2-4 of a message under a key of 16 bytes: the low and the high half of the word.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {number[]}
 */
export function siphash(key: Uint8Array, message: Uint8Array): number[];
