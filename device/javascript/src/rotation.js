import { coin } from "./coins.js";
import { fromHex } from "./words.js";

/**
 * Rotation: a device answers one of every T rounds of a survey, at a place that a coin gives it.
 *
 * Privacy: of any T rounds with consecutive numbers a device answers one at most, so they cost one epsilon together. The numbers are the
 * server's, which may lie, so the ledger has the last word: no two rounds of a survey are answered whose numbers differ by less than T.
 */

/**
 * The place of a device among so many rounds, by the second of the survey's own public seeds.
 *
 * @param {string} fingerprint @param {Uint8Array} device @param {number} every
 */
export const turnOf = (fingerprint, device, every) => coin(fromHex(fingerprint.slice(32)), device)(every);

/**
 * Whether a device at a place answers round `number`.
 *
 * @param {number} every @param {number} place @param {string} name the survey's @param {number | null | undefined} number
 * @param {import("./ledger.js").Entry[]} entries
 */
export const answersAt = (every, place, name, number, entries) =>
  number != null && number % every === place && !entries.some((entry) => entry.survey === name && Math.abs((entry.number ?? NaN) - number) < every);

/**
 * Whether it is a device's turn, as it always is without rotation.
 *
 * @param {import("./survey.js").Survey} survey @param {Uint8Array} device @param {string} name @param {number | null | undefined} number
 * @param {import("./ledger.js").Entry[]} entries
 */
export const isTurn = ({ every, fingerprint }, device, name, number, entries) =>
  every == null || answersAt(every, turnOf(fingerprint, device, every), name, number, entries);
