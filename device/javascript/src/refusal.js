/**
 * Why a document is refused: the field, and the rule that it breaks.
 *
 * Every reader of what a server sent throws this and nothing else; a device that meets it skips the document.
 */
export class Refused extends Error {}

/**
 * Refuse a document because of one of its fields.
 *
 * @param {string} field where in the document
 * @param {string} rule what the field must be
 * @returns {never}
 */
export function refuse(field, rule) {
  throw new Refused(`${field} must be ${rule}`);
}

/**
 * @param {any} value
 * @returns {value is Record<string, any>}
 */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @param {any} value @param {string} field @returns {Record<string, any>} */
export const object = (value, field) => (isObject(value) ? value : refuse(field, "an object"));

/** @param {any} value @param {number} least @param {number} most @param {string} field @returns {any[]} */
export const list = (value, least, most, field) =>
  Array.isArray(value) && value.length >= least && value.length <= most ? value : refuse(field, `a list of ${least} to ${most}`);

/** @param {any} value @param {number} least @param {number} most @param {string} field @returns {number} */
export const integer = (value, least, most, field) =>
  Number.isInteger(value) && value >= least && value <= most ? value : refuse(field, `an integer from ${least} to ${most}`);

/** @param {any} value @param {string} field @returns {number} */
export const finite = (value, field) => (Number.isFinite(value) ? value : refuse(field, "a finite number"));

/** @param {any} value @param {string} field @returns {number} */
export const positive = (value, field) => (finite(value, field) > 0 ? value : refuse(field, "positive"));

/**
 * Numbers that rise strictly.
 *
 * @param {any} value @param {number} least @param {number} most @param {string} field @returns {number[]}
 */
export function rising(value, least, most, field) {
  list(value, least, most, field).forEach((number, i, all) => {
    if (!(finite(number, field) > (i ? all[i - 1] : -Infinity))) refuse(field, "numbers that rise");
  });
  return value;
}

/** Whether a text has half of a surrogate pair. @param {string} text */
export const isTorn = (text) => /[\ud800-\udfff]/u.test(text);

const isText = (/** @type {any} */ value, /** @type {RegExp} */ pattern) => typeof value === "string" && pattern.test(value);

/** Whether this names a survey or a training. @param {any} value @returns {value is string} */
export const isName = (value) => isText(value, /^[a-z0-9][\w.-]{0,99}$/i);

/** Whether this labels a round. @param {any} value @returns {value is string} */
export const isLabel = (value) => isText(value, /^[a-z0-9][\w.:-]{0,63}$/i);

/** Whether this is a round's seed. @param {any} value @returns {value is string} */
export const isSeed = (value) => isText(value, /^[\da-f]{32}$/i);

/** Whether this is a document's fingerprint. @param {any} value @returns {value is string} */
export const isFingerprint = (value) => isText(value, /^[\da-f]{64}$/);
