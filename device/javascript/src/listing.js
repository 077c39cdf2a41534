import { isFingerprint, isLabel, isName, isObject, isSeed, list, object, refuse } from "./refusal.js";

/** The number of the protocol that this SDK speaks. */
export const PROTOCOL = 1;

/**
 * @typedef {object} Listed a survey of the server's list, with its open round
 * @property {string} name
 * @property {string} fingerprint
 * @property {number} epsilon
 * @property {{label: string, seed: string, enrolled_before?: string | null}} round
 *
 * @typedef {object} ListedTraining
 * @property {string} name
 * @property {number} epsilon
 */

/**
 * The surveys and trainings of a server's list that are as they should be.
 *
 * @param {any} value
 * @returns {{surveys: Listed[], trainings: ListedTraining[]}}
 */
export function readListing(value) {
  const { protocol, surveys, trainings } = object(value, "the list");
  if (protocol !== PROTOCOL) refuse("protocol", `${PROTOCOL}`);
  return {
    surveys: list(surveys, 0, Infinity, "surveys").slice(0, 1000).filter(isListed),
    trainings: list(trainings ?? [], 0, Infinity, "trainings").slice(0, 1000).filter(isTraining),
  };
}

const isTraining = (/** @type {any} */ entry) => isObject(entry) && isName(entry.name) && Number.isFinite(entry.epsilon);

function isListed(/** @type {any} */ entry) {
  if (!isTraining(entry) || !isFingerprint(entry.fingerprint) || !isObject(entry.round)) return false;
  const { label, seed, enrolled_before: before } = entry.round;
  return isLabel(label) && isSeed(seed) && (before == null || typeof before === "string");
}

/**
 * Whether a round is open to a device that enrolled at this time.
 *
 * @param {string} enrolled as the server wrote it; empty where it did not
 * @param {string | null | undefined} before the round's `enrolled_before`
 */
export const isEnrolledBefore = (enrolled, before) => before == null || enrolled < before;
