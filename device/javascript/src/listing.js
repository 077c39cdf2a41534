import { must } from "./errors.js";
import { isFingerprint, isLabel, isName, isObject, isHex16, isString, list, object } from "./rules.js";

/** The number of the protocol that this SDK speaks. */
export const PROTOCOL = 1;

const MOST_LISTED = 1000;

/**
 * @typedef {object} Round
 * @property {string} label
 * @property {string} seed 32 hexadecimal digits
 * @property {string | null} [enrolled_before]
 * @property {number | null} [number] which a survey with rotation needs
 *
 * @typedef {object} Listed a training that runs; with a fingerprint and a round, a survey that is open
 * @property {string} name
 * @property {number} epsilon the greatest that any report may spend
 *
 * @typedef {Listed & {fingerprint: string, round: Round}} ListedSurvey
 */

/**
 * The surveys and trainings of a server's list that are as they should be.
 *
 * @param {any} value
 * @returns {{surveys: ListedSurvey[], trainings: Listed[]}}
 */
export function readListing(value) {
  const { protocol, surveys, trainings } = object(value, "the list");
  must((protocol ?? PROTOCOL) === PROTOCOL, "protocol");
  return {
    surveys: list(surveys, 0, Infinity, "surveys").slice(0, MOST_LISTED).filter(isSurvey),
    trainings: (Array.isArray(trainings) ? trainings : []).slice(0, MOST_LISTED).filter(isListed),
  };
}

const isListed = (/** @type {any} */ entry) => isObject(entry) && isName(entry.name) && Number.isFinite(entry.epsilon);

function isSurvey(/** @type {any} */ entry) {
  if (!isListed(entry) || !isFingerprint(entry.fingerprint) || !isObject(entry.round)) return false;
  const { label, seed, enrolled_before: before, number } = entry.round;
  return isLabel(label) && isHex16(seed) && (before == null || isString(before)) && Number.isSafeInteger(number ?? 0) && !(number < 0);
}

/**
 * Whether a round is open to a device that enrolled then; times compare as they are written.
 *
 * @param {Round} round
 * @param {string} enrolled as the server wrote it; empty where it did not
 */
export const isOpenTo = ({ enrolled_before: before }, enrolled) => before == null || enrolled < before;
