import { readAttribute } from "./attribute.js";
import { readDerivation } from "./derive.js";
import { finite, isLabel, isName, isSeed, list, object, refuse } from "./refusal.js";
import { readSurvey } from "./survey.js";

/**
 * @typedef {object} Score a public linear model over the features
 * @property {number} intercept
 * @property {(number | number[])[]} weights in the order of the features, one for each level of a categorical one
 *
 * @typedef {object} Step
 * @property {string} training
 * @property {import("./survey.js").Survey} survey
 * @property {{label: string, seed: string}} round
 * @property {import("./attribute.js").Attribute[]} features
 * @property {import("./attribute.js").Attribute} label
 * @property {Score} model
 * @property {Score} direction
 * @property {import("./derive.js").Derivation[]} derive in the order of the survey's attributes
 */

/**
 * Read a step of a training, or refuse it.
 *
 * @param {any} value
 * @returns {Step}
 */
export function readStep(value) {
  const document = object(value, "the step");
  const { format, training } = document;
  if (format !== "harmony-step/1") refuse("format", "harmony-step/1");
  if (!isName(training)) refuse("training", "a name");
  const { label, seed } = object(document.round, "round");
  if (!isLabel(label)) refuse("round.label", "1 to 64 letters, digits, '.', '_', ':' or '-'");
  if (!isSeed(seed)) refuse("round.seed", "32 hexadecimal digits");
  const survey = readSurvey(document.survey);
  const names = new Set();
  const features = list(document.features, 1, 10000, "features").map((each, i) => {
    const feature = readVariable(each, `features[${i}]`);
    if (names.size === names.add(feature.name).size) refuse(`features[${i}].name`, "different from the others");
    return feature;
  });
  const target = readVariable(document.label, "label");
  if (target.kind !== "numeric" && target.values.length !== 2) refuse("label.values", "two");
  const model = readScore(document.model, features, "model");
  const direction = document.direction == null ? model : readScore(document.direction, features, "direction");
  const derivations = object(document.derive, "derive");
  const derive = survey.attributes.map((attribute) => {
    const field = `derive[${attribute.name}]`;
    if (attribute.missing != null || attribute.unlisted != null) refuse(`${attribute.name}: missing and unlisted`, "absent where answers are derived");
    return readDerivation(object(derivations[attribute.name], field), attribute, features, field);
  });
  return { training, survey, round: { label, seed }, features, label: target, model, direction, derive };
}

/** @param {any} value @param {string} field */
function readVariable(value, field) {
  const variable = readAttribute(value, field);
  if (variable.kind === "signed") refuse(`${field}.kind`, "numeric or categorical");
  if (variable.bins) refuse(`${field}.bins`, "absent");
  if (variable.kind === "numeric" && !((variable.high - variable.low) / 2)) refuse(`${field}.high`, "further from low");
  return variable;
}

/** @param {any} value @param {import("./attribute.js").Attribute[]} features @param {string} field @returns {Score} */
function readScore(value, features, field) {
  const { intercept, weights } = object(value, field);
  finite(intercept, `${field}.intercept`);
  object(weights, `${field}.weights`);
  return {
    intercept,
    weights: features.map(({ name, kind, values }) => {
      const at = `${field}.weights[${name}]`;
      if (kind === "numeric") return finite(weights[name], at);
      return list(weights[name], values.length, values.length, at).map((weight) => finite(weight, at));
    }),
  };
}
