import { must } from "./errors.js";

/** The most bytes of a document, unless the app allows more. */
export const MOST_BYTES = 1 << 20;

/**
 * Parse JSON that a stranger sent, within bounds that are checked before anything is built.
 *
 * A document of many small arrays costs far more memory than bytes, and a number of many digits costs time that grows with their
 * square in some languages; every SDK refuses the same documents.
 *
 * @param {Uint8Array} bytes
 * @param {number} [most] the most bytes
 * @returns {any}
 */
export function parse(bytes, most = MOST_BYTES) {
  must(bytes.length <= most, "bytes");
  let marks = 0;
  let digits = 0;
  for (const byte of bytes) {
    if (byte === 0x2c || byte === 0x3a || byte === 0x5b || byte === 0x7b) marks++; // , : [ {
    digits = byte >= 0x30 && byte <= 0x39 ? digits + 1 : 0;
    must(digits <= 400, "digits");
  }
  must(marks <= most / 8, "brackets, colons and commas");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    must(false, "JSON");
  }
}
