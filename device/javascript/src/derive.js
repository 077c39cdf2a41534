import { answer, place } from "./attribute.js";
import { signOf } from "./codes.js";
import { must } from "./errors.js";
import { finite, list, rising } from "./rules.js";
import { top53, wordAt } from "./words.js";

/** @typedef {import("./attribute.js").Attribute} Attribute */

/**
 * @typedef {object} Seen what a device knows of itself in a step
 * @property {number[]} features x in [-1, 1], or a level; NaN for a level that it lacks
 * @property {Record<string, number>} terms NaN for those that are made of a label that it lacks
 * @property {number} chance a uniform number in [0, 1)
 *
 * @typedef {(seen: Seen) => number | undefined} Derivation an answer, as codes take it; undefined where it is drawn
 */

// NaN stays NaN: what cannot be computed makes all that follows from it so.
const clip = (/** @type {number} */ x) => Math.min(Math.max(x, -1), 1);

/**
 * Read how an attribute of a step's survey is derived, or refuse it.
 *
 * A label is a product of one term within its bound of 1; a gradient is such a product times a number, or with a level. So three kinds of
 * attribute take three kinds of answer: a number, a place, or a level with a sign.
 *
 * @param {any} value
 * @param {Attribute} attribute
 * @param {Attribute[]} features
 * @returns {Derivation}
 */
export function readDerivation(value, attribute, features) {
  const { name, kind, places, missing, unlisted } = attribute;
  const { is, of, clip: bounds, edges, middle, reach } = value;
  const isCurve = is === "curve";
  const isBinned = isCurve || is === "surplus";
  const isGradient = is === "gradient";
  const isFeature = is === "feature";
  const isProduct = is === "product";
  must(isBinned || isGradient || isFeature || isProduct || is === "label", "is");
  must(missing == null && unlisted == null, "missing or unlisted");
  const at = features.findIndex((one) => one.name === value.feature);
  const feature = isGradient || isFeature ? features[at] : null;
  must(feature !== undefined, "feature");
  const levels = isBinned ? rising(edges, 1, 65536, "edges").length + 1 : feature?.answers ?? 0;
  const clips = isProduct ? bounds : [isGradient ? bounds : 1];
  const factors = list(isProduct ? of : [isGradient ? of : "label"], 1, 8, "of", (term, i) => {
    must(["label", "score", "residual", "relative", "direction"].includes(term), "term");
    return { term, bound: finite(clips?.[i], "clip", 0) };
  });
  must(factors.length === clips.length, "clip");
  const isScaled = isGradient && !levels;
  if (isScaled) {
    finite(middle, "middle");
    finite(reach, "reach", 0);
  }
  const needed = !levels ? "numeric" : isCurve || isFeature ? "categorical" : "signed";
  must(kind === needed && places.size === (isCurve ? 2 * levels : levels), name);

  /** NaN if it cannot be computed. @param {Seen} seen */
  const derive = ({ features, terms, chance }) => {
    const x = features[at];
    const product = factors.reduce((before, { term, bound }) => before * clip(terms[term] / bound), 1);
    const level = isBinned ? edges.filter((/** @type {number} */ edge) => edge <= terms.score).length : x;
    if (isFeature) return feature && !levels ? feature.low + ((x + 1) / 2) * (feature.high - feature.low) : level;
    if (!levels) return isScaled ? product * clip((x - middle) / reach) : product;
    const isPositive = isBinned ? product > 0 : 2 * chance < 1 + product;
    return product * 0 + (isCurve ? 2 * level + (isPositive ? 1 : 0) : level + (isPositive ? 0 : signOf(levels)));
  };

  return (seen) => {
    const answer = derive(seen);
    return Number.isNaN(answer) ? undefined : places.size ? answer : place(attribute, answer);
  };
}

/**
 * What a device knows of itself in a step, from its values and 8 random bytes, which are read before the values, whatever these are.
 *
 * @param {Attribute[]} features
 * @param {Attribute} target the label
 * @param {import("./step.js").Score} model
 * @param {import("./step.js").Score} direction
 * @param {Map<string, unknown>} told
 * @param {import("./report.js").Random} random
 * @returns {Seen}
 */
export function look(features, target, model, direction, told, random) {
  const chance = top53(wordAt(random(8), 0)) / 2 ** 53;
  const read = (/** @type {Attribute} */ { low, high, answers, parts }) => {
    const value = parts.reduce((before, part) => before * part.answers + (answer(part, told) ?? NaN), 0);
    const half = (high - low) / 2;
    return answers ? value : clip((value - (low + half)) / half);
  };
  const seen = features.map((feature) => (feature.answers ? read(feature) : read(feature) || 0));
  // What a device lacks adds nothing.
  const scoreOf = (/** @type {import("./step.js").Score} */ { intercept, weights }) =>
    seen.reduce((sum, x, i) => sum + (Array.isArray(weights[i]) ? weights[i][x] ?? 0 : /** @type {number} */ (weights[i]) * x), intercept);
  const aim = read(target);
  const label = target.answers ? 2 * aim - 1 : aim;
  const score = scoreOf(model);
  const residual = label - score;
  const relative = residual / (1 + Math.min(Math.abs(score), 1e300));
  return { features: seen, terms: { label, score, residual, relative, direction: scoreOf(direction) }, chance };
}
