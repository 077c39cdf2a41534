import { readAttribute } from "./attribute.js";
import { look, readDerivation } from "./derive.js";
import { must } from "./errors.js";
import { distinct, finite, isHex16, isLabel, isName, list, object } from "./rules.js";
import { readSurvey } from "./survey.js";

/**
 * @typedef {object} Score a public linear model over the features
 * @property {number} intercept
 * @property {(number | number[])[]} weights in the order of the features, one for each level of a categorical one
 *
 * @typedef {import("./survey.js").Questions & StepOnly} Step
 *
 * @typedef {object} StepOnly
 * @property {string} training
 * @property {import("./survey.js").Survey} survey
 * @property {{label: string, seed: string}} round
 */

/**
 * Read a step of a training, or of an exploration, whose survey asks the record itself; or refuse it.
 *
 * @param {any} value
 * @returns {Step}
 */
export function readStep(value) {
  const { training, round, derive } = object(value);
  must(value.format === "harmony-step/1", "format");
  must(isName(training), "training");
  must(isLabel(object(round, "round").label), "label");
  must(isHex16(round.seed), "seed");
  const only = { label: round.label, seed: round.seed }; // what else a round says, a step does not have
  const survey = readSurvey(value.survey);
  must(survey.every == null && !survey.remembers, "every or memory");
  if (derive == null) return { ...survey, training, survey, round: only };
  const features = list(value.features, 1, 10000, "features", readVariable);
  distinct(features.map(({ name }) => name), "features: name");
  const label = readVariable(value.label);
  must(!label.answers || label.places.size === 2, "label");
  const model = readScore(value.model, features);
  const direction = value.direction == null ? model : readScore(value.direction, features);
  object(derive, "derive");
  const derivations = survey.attributes.map((attribute) => readDerivation(object(derive[attribute.name], attribute.name), attribute, features));
  return {
    training,
    survey,
    round: only,
    needs: [...features, label].flatMap(({ parts }) => parts),
    read: (told, random) => {
      const seen = look(features, label, model, direction, told, random);
      return derivations.map((derivation) => [derivation(seen)]);
    },
  };
}

/** @param {any} value */
function readVariable(value) {
  const variable = readAttribute(value);
  const { answers, parts, low, high } = variable;
  must(parts.every(({ asks, bins, places }) => asks && (places.size || bins || !answers)), "kind or bins");
  must(answers || (high - low) / 2, "high");
  return variable;
}

/** @param {any} value @param {import("./attribute.js").Attribute[]} features @returns {Score} */
function readScore(value, features) {
  const weights = object(object(value, "model or direction").weights, "weights");
  return {
    intercept: finite(value.intercept, "intercept"),
    weights: features.map(({ name, answers }) =>
      answers ? list(weights[name], answers, answers, name, (weight) => finite(weight, "weight")) : finite(weights[name], name),
    ),
  };
}
