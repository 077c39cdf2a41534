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
export function parse(bytes: Uint8Array, most?: number): any;
/** The most bytes of a document, unless the app allows more. */
export const MOST_BYTES: number;
