import { bin } from "./codes.js";
import { must } from "./errors.js";
import { finite, isString, isText, list, object, rising } from "./rules.js";

/** @typedef {NumberConstructor | StringConstructor | BooleanConstructor} Type */

/**
 * @typedef {object} Attribute
 * @property {string} name
 * @property {"numeric" | "categorical" | "signed"} kind
 * @property {Type | undefined} asks the type of value that it reads; none where only a step derives the answer
 * @property {number} low
 * @property {number} high
 * @property {number[] | null} [bins]
 * @property {Map<any, number>} places of the values
 * @property {any} missing
 * @property {any} unlisted
 * @property {number} answers how many answers there are to draw from; 0 for a grid, whose index is drawn
 */

/**
 * The type of a value that can be answered with; undefined if it cannot.
 *
 * @param {unknown} value
 * @returns {Type | undefined}
 */
const typeOf = (value) => (Number.isFinite(value) ? Number : isString(value) ? String : typeof value === "boolean" ? Boolean : undefined);

/**
 * Read an attribute of a survey, a feature or a label: what it asks, without its mechanisms.
 *
 * @param {any} value
 * @returns {Attribute}
 */
export function readAttribute(value) {
  const { name, kind, low, high, bins, values, missing, unlisted } = object(value);
  const places = new Map();
  /** @type {Type | undefined} */
  let asks = Number;
  let answers = 0;
  must(isText(name) && name && [...name].length <= 200, "name");
  if (kind === "numeric") {
    must(finite(low, "low") < finite(high, "high"), "low");
    finite(high - low, "high");
    if (bins != null) {
      answers = rising(bins, 3, 2 ** 20 + 1, "bins").length - 1;
      must(bins[0] === low && bins[answers] === high, "bins");
    }
    must(missing == null || (finite(missing, "missing") >= low && missing <= high), "missing");
    must(unlisted == null, "unlisted");
  } else {
    const isSigned = kind === "signed";
    must(isSigned || kind === "categorical", "kind");
    list(values, 2, 2 ** 20, "values").forEach((each, place) => {
      asks = typeOf(values[0]);
      must(typeOf(each) === asks && !places.has(each) && (asks === Boolean || isText(each) || Number.isSafeInteger(each)), "values");
      places.set(each, place);
    });
    for (const [field, value] of Object.entries({ missing, unlisted })) must(value == null || (!isSigned && places.has(value)), field);
    answers = places.size;
    if (isSigned) {
      asks = undefined;
      answers *= 2;
    }
  }
  return { name, kind, asks, low, high, bins, places, missing, unlisted, answers };
}

/**
 * The answer of a number: itself within the range, or its bin.
 *
 * @param {Attribute} attribute
 * @param {number} value
 */
export function place({ low, high, bins }, value) {
  const clipped = Math.min(Math.max(value, low), high);
  return bins ? bin(bins, clipped) : clipped;
}

/**
 * The answer that a value gives, whatever it is; undefined where the answer is drawn at random.
 *
 * @param {Attribute} attribute
 * @param {unknown} value
 * @returns {number | undefined}
 */
export function answer(attribute, value) {
  const { kind, asks, places, missing, unlisted } = attribute;
  const isTold = typeOf(value) === asks;
  /** @type {any} */
  const told = isTold ? value : missing;
  if (kind === "numeric") return told == null ? undefined : place(attribute, told);
  return places.get(told) ?? (isTold ? places.get(unlisted) : undefined);
}

/**
 * Add what an app's developer should know about a value, without telling it.
 *
 * @param {Set<string>} warnings
 * @param {Attribute} attribute
 * @param {unknown} value
 */
export function warn(warnings, { name, asks, kind, places }, value) {
  if (typeOf(value) !== asks) warnings.add(`${name}: no ${asks?.name}`);
  else if (kind !== "numeric" && !places.has(value)) warnings.add(`${name}: not listed`);
}
