import { assign, coin } from "./coins.js";
import { grid, linear, signOf } from "./codes.js";
import { symbol } from "./tables.js";
import { below, top53, view } from "./words.js";

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
export function asked({ coins, answers, mechanisms }, tier, seed, device) {
  const draw = coin(seed, device);
  return assign(draw, coins, answers).map((i) => [i, draw(mechanisms[i][tier].rows)]);
}

/**
 * The randomised report of a device.
 *
 * The random bytes are read whatever the attribute and the answer; the draws do not depend on either.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {number} tier
 * @param {Uint8Array} seed the round's
 * @param {Uint8Array} device its id
 * @param {(attribute: number) => number | null} answer the answer of an attribute, null to draw one
 * @param {Random} random
 * @returns {Uint8Array}
 */
export function makeReport(survey, tier, seed, device, answer, random) {
  const { attributes, mechanisms, answers, width } = survey;
  const report = new Uint8Array(17 + answers * width);
  report.set(device);
  report[16] = tier;
  asked(survey, tier, seed, device).forEach(([i, row], place) => {
    const words = view(random(16));
    const attribute = attributes[i];
    const { table, code } = mechanisms[i][tier];
    const high = words.getUint32(4, true);
    const given = answer(i);
    const index = code
      ? linear(code, given ?? drawn(attribute, high), row)
      : given === null
        ? below(high, table.inputs)
        : grid(given, attribute.low, attribute.high, table.inputs, top53(words, 0));
    const told = symbol(table, index, top53(words, 8));
    report[17 + place * width] = told;
    if (width > 1) report[18 + place * 2] = told >> 8;
  });
  return report;
}

/**
 * A uniformly random answer of a linear code. In a signed one the second half of the draws are the negative levels, which
 * start at K, the least power of two that holds the levels.
 *
 * @param {import("./attribute.js").Attribute} attribute
 * @param {number} high the high half of the round word
 */
function drawn({ kind, values, answers }, high) {
  const m = below(high, answers);
  return kind === "signed" && m >= values.length ? m - values.length + signOf(values.length) : m;
}
