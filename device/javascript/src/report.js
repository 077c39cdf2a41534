import { assign, coin } from "./coins.js";
import { placeOf } from "./attribute.js";
import { linear } from "./codes.js";
import { symbol } from "./tables.js";
import { top53, wordAt } from "./words.js";

/**
 * @typedef {(bytes: number) => Uint8Array} Random so many bytes of the platform's CSPRNG
 */

/**
 * What a device is asked in a round: attributes by their place in the survey, each with a row of its code.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {number} tier
 * @param {Uint8Array} seed
 * @param {Uint8Array} device
 * @returns {[number, number][]}
 */
export function ask({ attributes, answers }, tier, seed, device) {
  const draw = coin(seed, device);
  const weights = attributes.map((attribute) => attribute.coin);
  return assign(draw, weights, answers).map((i) => [i, draw(attributes[i].mechanisms[tier].rows)]);
}

/** The size of every report: it depends on the survey alone. @param {import("./survey.js").Survey} survey */
export const reportBytes = ({ answers, width }) => 17 + answers * width;

/**
 * The randomised report of a device.
 *
 * The random bytes are read whatever the attribute and the answer.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {Uint8Array} device its id
 * @param {number} tier
 * @param {(number | undefined)[][]} answers those of each attribute's parts, undefined to draw one
 * @param {[number, number][]} asked what `ask` returned
 * @param {Random} random
 * @returns {Uint8Array}
 */
export function randomise(survey, device, tier, answers, asked, random) {
  const { attributes, width } = survey;
  const report = new Uint8Array(reportBytes(survey));
  report.set(device);
  report[16] = tier;
  asked.forEach(([i, row], place) => {
    const words = random(16);
    const { table, code } = attributes[i].mechanisms[tier];
    const n = placeOf(attributes[i], answers[i], wordAt(words, 0), table.inputs);
    const sent = symbol(table, code ? linear(code, n, row) : n, top53(wordAt(words, 8)));
    report[17 + place * width] = sent;
    if (width > 1) report[18 + place * 2] = sent >> 8;
  });
  return report;
}
