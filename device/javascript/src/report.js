import { assign, coin } from "./coins.js";
import { placeOf } from "./attribute.js";
import { linear } from "./codes.js";
import { symbol } from "./tables.js";
import { fromHex, top53, wordAt } from "./words.js";

/**
 * @typedef {(bytes: number) => Uint8Array} Random so many bytes of the platform's CSPRNG
 */

/**
 * What a device is asked in a round: attributes by their place in the survey, each with a row of its code. With memory it is always the same.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {number} tier
 * @param {Uint8Array} seed
 * @param {Uint8Array} device
 * @returns {[number, number][]}
 */
export function ask({ attributes, answers, remembers, fingerprint }, tier, seed, device) {
  const draw = coin(remembers ? fromHex(fingerprint) : seed, device);
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
 * @param {Uint8Array} [memo] with memory: the words that are kept, for each answer one to round with and one for each index
 * @returns {Uint8Array}
 */
export function randomise(survey, device, tier, answers, asked, random, memo) {
  const { attributes, width } = survey;
  const report = new Uint8Array(reportBytes(survey));
  report.set(device);
  report[16] = tier;
  asked.forEach(([i, row], place) => {
    const words = random(16);
    const kept = memo ?? words;
    const { table, replace, code } = attributes[i].mechanisms[tier];
    const n = placeOf(attributes[i], answers[i], wordAt(kept, 0), table.inputs);
    const index = code ? linear(code, n, row) : n;
    let sent = symbol(table, index, top53(wordAt(kept, memo ? 8 + 8 * index : 8)));
    if (memo && replace) {
      memo = memo.subarray(8 + 8 * table.inputs);
      sent = symbol(replace, sent, top53(wordAt(words, 8)));
    }
    report[17 + place * width] = sent;
    if (width > 1) report[18 + place * 2] = sent >> 8;
  });
  return report;
}
