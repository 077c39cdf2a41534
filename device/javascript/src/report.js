import { assign, coin } from "./coins.js";
import { grid, linear, signOf } from "./codes.js";
import { symbol } from "./tables.js";
import { below, top53, wordAt } from "./words.js";

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
export function ask({ coins, answers, mechanisms }, tier, seed, device) {
  const draw = coin(seed, device);
  return assign(draw, coins, answers).map((i) => [i, draw(mechanisms[i][tier].rows)]);
}

/** The size of every report: it depends on the survey alone. @param {import("./survey.js").Survey} survey */
export const reportBytes = ({ answers, width }) => 17 + answers * width;

/**
 * The randomised report of a device.
 *
 * The random bytes are read whatever the attribute and the answer. Of a signed attribute without an answer, the second half of the draws are the
 * negative levels, which start at the sign's own number.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {Uint8Array} device its id
 * @param {number} tier
 * @param {(number | undefined)[]} answers the answer of each attribute, undefined to draw one
 * @param {[number, number][]} asked what `ask` returned
 * @param {Random} random
 * @returns {Uint8Array}
 */
export function randomise(survey, device, tier, answers, asked, random) {
  const { attributes, mechanisms, width } = survey;
  const report = new Uint8Array(reportBytes(survey));
  report.set(device);
  report[16] = tier;
  asked.forEach(([i, row], place) => {
    const words = random(16);
    const word = wordAt(words, 0);
    const { low, high, kind, places, answers: all } = attributes[i];
    const { table, code } = mechanisms[i][tier];
    const told = answers[i];
    // Drawn for everybody, and used by those who have no answer of their own.
    const drawn = below(word >> 32n, all || table.inputs);
    const sign = kind === "signed" && drawn >= places.size ? signOf(places.size) - places.size : 0;
    const index = code ? linear(code, told ?? drawn + sign, row) : told === undefined ? drawn : grid(told, low, high, table.inputs, top53(word));
    const sent = symbol(table, index, top53(wordAt(words, 8)));
    report[17 + place * width] = sent;
    if (width > 1) report[18 + place * 2] = sent >> 8;
  });
  return report;
}
