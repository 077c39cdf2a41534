import { must, Refused } from "./errors.js";

/**
 * Rules of documents: each refuses a document, by the field that breaks it.
 */

/**
 * Read each entry of a list, and let a refusal say which one it is about.
 *
 * @template T
 * @param {any} value @param {number} least @param {number} most @param {string} field
 * @param {(each: any, place: number) => T} [read]
 * @returns {T[]}
 */
export function list(value, least, most, field, read = (each) => each) {
  must(Array.isArray(value) && value.length >= least && value.length <= most, field);
  return value.map((each, place) => {
    try {
      return read(each, place);
    } catch (error) {
      throw error instanceof Refused ? new Refused(`${field}[${place}].${error.message}`) : error;
    }
  });
}

/** @param {any} value @returns {value is Record<string, any>} */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @param {any} value @param {string} [field] @returns {Record<string, any>} */
export function object(value, field = "object") {
  must(isObject(value), field);
  return value;
}

/** @param {any} value @param {number} least @param {number} most @param {string} field @returns {number} */
export function within(value, least, most, field, isOne = Number.isFinite) {
  must(isOne(value) && value >= least && value <= most, field);
  return value;
}

/** @param {any} value @param {number} least @param {number} most @param {string} field @returns {number} */
export const integer = (value, least, most, field) => within(value, least, most, field, Number.isInteger);

/** @param {any} value @param {string} field @param {number} [above] @returns {number} */
export function finite(value, field, above = -Infinity) {
  must(Number.isFinite(value) && value > above, field);
  return value;
}

/** Numbers that rise. @param {any} value @param {number} least @param {number} most @param {string} field @returns {number[]} */
export const rising = (value, least, most, field) => list(value, least, most, field, (each, i) => finite(each, "order", value[i - 1]));

/** All of them must differ. @param {any[]} values @param {string} field */
export const distinct = (values, field) => must(new Set(values).size === values.length, field);

/** @param {any} value @returns {value is string} */
export const isString = (value) => typeof value === "string";

/** @param {RegExp} pattern @returns {(value: any) => value is string} */
const matches = (pattern) => /** @type {any} */ ((/** @type {any} */ value) => isString(value) && pattern.test(value));

/** Whether this is text, and Unicode: JSON's escapes can spell half of a surrogate pair. */
export const isText = (/** @type {any} */ value) => isString(value) && !/\p{Cs}/u.test(value);

/** Whether this names an attribute, or what it reads. */
export const isAttributeName = matches(/^\P{Cs}{1,200}$/u);

/** Whether this names a survey or a training. */
export const isName = matches(/^[a-z\d][\w.-]{0,99}$/i);

/** Whether this labels a round. */
export const isLabel = matches(/^[a-z\d][\w.:-]{0,63}$/i);

/** Whether this is 16 bytes: a round's seed or a device's id. */
export const isHex16 = matches(/^[\da-f]{32}$/i);

/** Whether this is a document's fingerprint. */
export const isFingerprint = matches(/^[\da-f]{64}$/);

/** Whether this is a credential: text that cannot break out of the header that it is sent in. */
export const isCredential = matches(/^[!-~]{1,1000}$/);
