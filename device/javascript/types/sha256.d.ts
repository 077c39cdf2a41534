/**
 * The SHA-256 of some bytes, in lower-case hexadecimal.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<string>}
 */
export function sha256(bytes: Uint8Array): Promise<string>;
