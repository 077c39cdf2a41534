import { bin } from "./codes.js";
import { finite, isTorn, list, object, refuse, rising } from "./refusal.js";

/**
 * @typedef {object} Attribute
 * @property {string} name
 * @property {"numeric" | "categorical" | "signed"} kind
 * @property {"number" | "string" | "boolean"} asks the type of value that it reads
 * @property {number} low
 * @property {number} high
 * @property {number[]} [bins]
 * @property {any[]} values
 * @property {Map<any, number>} places
 * @property {any} missing
 * @property {any} unlisted
 * @property {number} answers how many places a drawn answer has; 0 for a grid, whose index is drawn
 */

/**
 * Read an attribute of a survey, a feature or a label: what it asks, without its mechanisms.
 *
 * @param {any} value
 * @param {string} field
 * @returns {Attribute}
 */
export function readAttribute(value, field) {
  const { name, kind, low, high, bins, values, missing, unlisted } = object(value, field);
  if (typeof name !== "string" || !name || isTorn(name) || [...name].length > 200) {
    refuse(`${field}.name`, "text of 1 to 200 code points");
  }
  const isNumeric = kind === "numeric";
  const isSigned = kind === "signed";
  const places = new Map();
  /** @type {any} */
  let asks = "number";
  if (isNumeric) {
    if (!(finite(low, `${field}.low`) < finite(high, `${field}.high`))) refuse(`${field}.low`, "below high");
    finite(high - low, `${field}.high less low`);
    if (bins != null) {
      rising(bins, 3, 2 ** 20 + 1, `${field}.bins`);
      if (bins[0] !== low || bins[bins.length - 1] !== high) refuse(`${field}.bins`, "edges from low to high");
    }
    if (unlisted != null) refuse(`${field}.unlisted`, "absent where numbers are asked");
    if (missing != null && !(missing >= low && finite(missing, `${field}.missing`) <= high)) {
      refuse(`${field}.missing`, "from low to high");
    }
  } else {
    if (!isSigned && kind !== "categorical") refuse(`${field}.kind`, "numeric, categorical or signed");
    asks = typeof list(values, 2, 2 ** 20, `${field}.values`)[0];
    values.forEach((/** @type {any} */ each, /** @type {number} */ place) => {
      const isFit = asks === "string" ? !isTorn(each) : asks === "number" ? Number.isSafeInteger(each) : asks === "boolean";
      if (typeof each !== asks || !isFit || places.has(each)) {
        refuse(`${field}.values`, "different values, all text, all integers or all booleans");
      }
      places.set(each, place);
    });
    for (const [stand, given] of [["missing", missing], ["unlisted", unlisted]]) {
      if (given != null && (isSigned || !places.has(given))) {
        refuse(`${field}.${stand}`, isSigned ? "absent in a signed attribute" : "one of its values");
      }
    }
  }
  const answers = isNumeric ? (bins ? bins.length - 1 : 0) : values.length * (isSigned ? 2 : 1);
  return { name, kind, asks, low, high, bins: bins ?? undefined, values, places, missing, unlisted, answers };
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
 * The answer that a value gives, whatever it is; null where the answer is drawn at random.
 *
 * @param {Attribute} attribute
 * @param {unknown} value
 * @returns {number | null}
 */
export function answer(attribute, value) {
  const { kind, asks, places, missing, unlisted } = attribute;
  const isTold = typeof value === asks && (asks !== "number" || Number.isFinite(value));
  if (kind === "numeric") {
    const number = isTold ? value : missing;
    return number == null ? null : place(attribute, /** @type {number} */ (number));
  }
  return (isTold ? places.get(value) ?? places.get(unlisted) : places.get(missing)) ?? null;
}
