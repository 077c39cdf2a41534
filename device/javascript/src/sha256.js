import { DeviceError, must } from "./errors.js";
import { toHex } from "./words.js";

/**
 * The SHA-256 of some bytes, in lower-case hexadecimal.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<string>}
 */
export async function sha256(bytes) {
  const { subtle } = crypto;
  must(subtle, "needs a secure context", DeviceError);
  return toHex(new Uint8Array(await subtle.digest("SHA-256", /** @type {Uint8Array<ArrayBuffer>} */ (bytes))));
}
