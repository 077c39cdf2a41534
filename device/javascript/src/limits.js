import { must, Skipped } from "./errors.js";
import { isRecent } from "./ledger.js";

/**
 * @typedef {object} EpsilonLimit the most epsilon to spend; a limit that is not given is as large as the next wider one
 * @property {number} [perReport]
 * @property {number} [perRound] in all rounds of one label
 * @property {number} per30Days in any 30 days
 */

/** Epsilon in whole billionths: their sums are exact, and equal in all languages. @param {number} epsilon */
const billionths = (epsilon) => Math.floor(epsilon * 1e9 + 0.5);

/** What entries spent together, in billionths. @param {import("./ledger.js").Entry[]} entries */
export const spentOn = (entries) => entries.reduce((sum, { epsilon }) => sum + billionths(epsilon), 0);

/**
 * The limits of an owner, complete.
 *
 * @param {number | EpsilonLimit} limit a number bounds reports, rounds and 30 days alike
 * @returns {Required<EpsilonLimit>}
 */
export function checkedLimit(limit) {
  const { per30Days = limit, perRound = per30Days, perReport = perRound } = /** @type {any} */ (limit);
  const checked = { perReport, perRound, per30Days };
  for (const each of Object.values(checked)) must(each >= 0, "epsilonLimit", TypeError);
  return checked;
}

/**
 * The tier of most epsilon that no limit forbids; throws if all of them are forbidden.
 *
 * @param {number[]} tiers
 * @param {Required<EpsilonLimit>} limit
 * @param {import("./ledger.js").Spent[]} entries
 * @param {string} round the round's label
 * @param {number} now
 * @returns {number}
 */
export function chooseTier(tiers, limit, entries, round, now) {
  const spent = {
    perReport: 0,
    perRound: spentOn(entries.filter((entry) => entry.round === round)),
    per30Days: spentOn(entries.filter((entry) => isRecent(entry, now))),
  };
  const forbids = (/** @type {number} */ epsilon) =>
    /** @type {(keyof typeof spent)[]} */ (Object.keys(spent)).find((name) => !(spent[name] + billionths(epsilon) <= billionths(limit[name])));
  const allowed = tiers.filter((epsilon) => !forbids(epsilon));
  // The limit that forbids the least tier forbids all of them.
  must(allowed.length, `${forbids(Math.min(...tiers))}: spent`, Skipped);
  return tiers.indexOf(Math.max(...allowed));
}
