import { bin, grid, signOf } from "./codes.js";
import { must } from "./errors.js";
import { finite, integer, isAttributeName, isString, isText, list, object, rising, within } from "./rules.js";
import { below, top53 } from "./words.js";

/** @typedef {NumberConstructor | StringConstructor | BooleanConstructor} Type */

/**
 * @typedef {object} Attribute
 * @property {string} name
 * @property {string} reads the name of the value that it reads
 * @property {"numeric" | "categorical" | "signed" | "crosstab" | "text"} kind
 * @property {Type | undefined} asks the type of value that it reads; none where only a step derives the answer
 * @property {number} low
 * @property {number} high
 * @property {number[] | null} [bins]
 * @property {Pick<Map<any, number>, "get" | "has" | "size">} places of the values; empty for numbers
 * @property {any} missing
 * @property {any} unlisted
 * @property {number} answers how many answers there are to draw from; 0 for a grid, whose index is drawn
 * @property {Attribute[]} parts what it reads: a crosstab's two, or itself
 */

/**
 * @typedef {Map<unknown, (value: any) => object>} Kinds kinds that only some entry points know, each with what reads it: more of the attribute,
 *   whose `places` then know every value
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
 * @param {Kinds} [kinds]
 * @returns {Attribute}
 */
export function readAttribute(value, kinds) {
  const { name, kind, low, high, bins, values, missing, unlisted, of } = object(value);
  const reads = value.reads ?? name;
  const places = new Map();
  /** @type {Attribute[] | undefined} */
  let parts;
  /** @type {Type | undefined} */
  let asks = Number;
  let answers = 0;
  must(isAttributeName(name), "name");
  must(isAttributeName(reads), "reads");
  const added = kinds?.get(kind)?.(value);
  if (added) asks = String;
  else if (kind === "numeric") {
    finite(finite(high, "high") - finite(low, "low"), "low or high", 0);
    if (bins != null) {
      answers = rising(bins, 3, 2 ** 20 + 1, "bins").length - 1;
      must(bins[0] === low && bins[answers] === high, "bins");
    }
    if (missing != null) within(missing, low, high, "missing");
    must(unlisted == null, "unlisted");
  } else {
    const isCategory = kind === "categorical";
    if (kind === "crosstab") {
      parts = list(of, 2, 2, "of", readPart);
      answers = parts[0].answers * parts[1].answers;
      must(answers <= 2 ** 20, "of");
    } else {
      must(isCategory || kind === "signed", "kind");
      list(values, 2, 2 ** 20, "values", (each, place) => {
        asks = typeOf(values[0]);
        must(typeOf(each) === asks && !places.has(each) && (asks === Boolean || isText(each) || Number.isSafeInteger(each)), "type");
        places.set(each, place);
      });
      answers = isCategory ? places.size : 2 * places.size;
    }
    for (const [field, value] of Object.entries({ missing, unlisted })) must(value == null || (isCategory && places.has(value)), field);
    if (!isCategory) asks = undefined;
  }
  const attribute = /** @type {Attribute} */ ({ ...value, reads, asks, places, answers, parts, ...added });
  attribute.parts ??= [attribute];
  return attribute;
}

/** Read a part of a crosstab; a number without bins has points. @param {any} value */
function readPart(value) {
  must(["numeric", "categorical"].includes(object(value).kind), "kind");
  const part = readAttribute(value);
  part.answers ||= integer(value.points, 2, 65536, "points");
  return part;
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
 * @param {Map<string, unknown>} told
 * @returns {number | undefined}
 */
export function answer(attribute, told) {
  const { reads, asks, places, missing, unlisted } = attribute;
  const value = told.get(reads);
  const isTold = typeOf(value) === asks;
  /** @type {any} */
  const given = isTold ? value : missing;
  if (!places.size) return given == null ? undefined : place(attribute, given);
  return places.get(given) ?? (isTold ? places.get(unlisted) : undefined);
}

/**
 * The place of an attribute's answers among so many: that of the pair, for a crosstab, whose second part takes the low half of the word.
 *
 * Of a signed attribute without an answer, the second half of the draws are the negative levels, which start at the sign's own number.
 *
 * @param {Attribute} attribute
 * @param {(number | undefined)[]} answers one for each part, undefined to draw one
 * @param {bigint} word
 * @param {number} points of a grid
 */
export function placeOf({ parts }, answers, word, points) {
  return parts.reduce((before, { kind, low, high, bins, places, answers: size }, i) => {
    const own = i ? BigInt.asUintN(64, word << 32n) : word;
    const levels = places.size;
    let place = answers[i];
    size ||= points;
    if (place === undefined) {
      place = below(own >> 32n, size);
      if (kind === "signed" && place >= levels) place += signOf(levels) - levels;
    } else if (!levels && !bins) place = grid(place, low, high, size, top53(own));
    return before * size + place;
  }, 0);
}

/**
 * Add what an app's developer should know about a value, without telling it.
 *
 * @param {Set<string>} warnings
 * @param {Attribute} attribute
 * @param {unknown} value
 */
export function warn(warnings, { reads, asks, places }, value) {
  if (typeOf(value) !== asks) warnings.add(`${reads}: no ${asks?.name}`);
  else if (places.size && !places.has(value)) warnings.add(`${reads}: not listed`);
}
