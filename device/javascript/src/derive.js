import { answer, place } from "./attribute.js";
import { signOf } from "./codes.js";
import { finite, list, positive, refuse, rising } from "./refusal.js";
import { top53, view } from "./words.js";

/**
 * @typedef {object} Seen what a device knows of itself in a step: null stands for what it cannot tell
 * @property {(number | null)[]} features x in [-1, 1], or a level
 * @property {number | null} label
 * @property {Record<string, number | null>} terms
 * @property {number} chance a uniform number in [0, 1)
 *
 * @typedef {(seen: Seen) => number | null} Derivation
 */

const TERMS = ["label", "score", "residual", "relative", "direction"];

// A comparison with NaN is false, so that what is not a number stays so.
const clip = (/** @type {number} */ x) => (x > 1 ? 1 : x < -1 ? -1 : x);

/**
 * Read how an attribute of a step's survey is derived, or refuse it.
 *
 * @param {Record<string, any>} value
 * @param {import("./attribute.js").Attribute} attribute
 * @param {import("./attribute.js").Attribute[]} features
 * @param {string} field
 * @returns {Derivation}
 */
export function readDerivation(value, attribute, features, field) {
  const { is, of, feature: name, edges } = value;
  const expect = (/** @type {string} */ kind, /** @type {number} */ values = 0) => {
    if (attribute.kind !== kind || (values && attribute.values.length !== values)) {
      refuse(`${field} is ${is}${name ? ` of ${name}` : ""}: its attribute`, `${kind}${values ? ` with ${values} values` : ""}`);
    }
  };
  const at = features.findIndex((feature) => feature.name === name);
  const feature = features[at];
  if ((is === "feature" || is === "gradient") && !feature) refuse(`${field}.feature`, "one of the features");
  const isNumber = feature?.kind === "numeric";

  if (is === "label") {
    expect("numeric");
    return ({ label }) => label;
  }
  if (is === "feature") {
    expect(feature.kind, feature.values?.length);
    const { low, high } = feature;
    return ({ features }) => (isNumber ? low + (/** @type {number} */ (features[at]) + 1) / 2 * (high - low) : features[at]);
  }
  if (is === "gradient") {
    if (!TERMS.includes(of)) refuse(`${field}.of`, `one of ${TERMS}`);
    const by = positive(value.clip, `${field}.clip`);
    if (isNumber) {
      expect("numeric");
      const middle = finite(value.middle, `${field}.middle`);
      const reach = positive(value.reach, `${field}.reach`);
      return ({ features, terms }) => {
        const term = terms[of];
        return term === null ? null : clip(term / by) * clip((/** @type {number} */ (features[at]) - middle) / reach);
      };
    }
    expect("signed", feature.values.length);
    const sign = signOf(feature.values.length);
    return ({ features, terms, chance }) => {
      const level = features[at];
      const term = terms[of];
      return level === null || term === null ? null : level + (2 * chance >= 1 + clip(term / by) ? sign : 0);
    };
  }
  if (is === "product") {
    expect("numeric");
    list(of, 1, 8, `${field}.of`).forEach((term) => TERMS.includes(term) || refuse(`${field}.of`, `some of ${TERMS}`));
    const by = list(value.clip, of.length, of.length, `${field}.clip`).map((each) => positive(each, `${field}.clip`));
    return ({ terms }) =>
      of.reduce((/** @type {number | null} */ product, /** @type {string} */ term, /** @type {number} */ i) => {
        const factor = terms[term];
        return product === null || factor === null ? null : product * clip(factor / by[i]);
      }, 1);
  }
  if (is !== "curve" && is !== "surplus") refuse(`${field}.is`, "a derivation of this protocol");
  const bins = rising(edges, 1, 65536, `${field}.edges`).length + 1;
  const reached = (/** @type {number | null} */ score) => edges.filter((/** @type {any} */ edge) => edge <= /** @type {any} */ (score)).length;
  if (is === "curve") {
    expect("categorical", 2 * bins);
    return ({ label, terms }) => (label === null ? null : 2 * reached(terms.score) + (label > 0 ? 1 : 0));
  }
  expect("signed", bins);
  return ({ label, terms }) => (label === null ? null : reached(terms.score) + (label > 0 ? 0 : signOf(bins)));
}

/**
 * What a device knows of itself in a step: features, label and terms, from its values and 8 random bytes.
 *
 * The bytes are read before the values, whatever these are.
 *
 * @param {import("./step.js").Step} step
 * @param {(attribute: import("./attribute.js").Attribute) => unknown} read
 * @param {import("./report.js").Random} random
 * @returns {Seen}
 */
export function look({ features, label: target, model, direction }, read, random) {
  const chance = top53(view(random(8)), 0) / 2 ** 53;
  const scaled = (/** @type {import("./attribute.js").Attribute} */ attribute) => {
    const told = answer(attribute, read(attribute));
    if (told === null || attribute.kind !== "numeric") return told;
    const half = (attribute.high - attribute.low) / 2;
    return clip((told - (attribute.low + half)) / half);
  };
  const seen = features.map((feature) => scaled(feature) ?? (feature.kind === "numeric" ? 0 : null));
  const scoreOf = (/** @type {import("./step.js").Score} */ { intercept, weights }) =>
    weights.reduce((/** @type {number} */ sum, weight, i) => {
      const x = seen[i];
      return x === null ? sum : sum + (Array.isArray(weight) ? weight[x] : weight * x);
    }, intercept);
  const told = scaled(target);
  const label = told === null || target.kind === "numeric" ? told : 2 * told - 1;
  const score = scoreOf(model);
  const residual = label === null ? null : label - score;
  const relative = residual === null ? null : residual / (1 + Math.min(Math.abs(score), 1e300));
  return { features: seen, label, terms: { label, score, residual, relative, direction: scoreOf(direction) }, chance };
}

/**
 * The derived answer of each attribute of a step's survey, as codes take it; null where it is drawn.
 *
 * @param {import("./step.js").Step} step
 * @param {Seen} seen
 * @returns {(number | null)[]}
 */
export function derived({ survey, derive }, seen) {
  return survey.attributes.map((attribute, i) => {
    const told = derive[i](seen);
    if (told === null || attribute.kind !== "numeric") return told;
    return Number.isNaN(told) ? null : place(attribute, told);
  });
}
