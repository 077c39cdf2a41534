import { must, Skipped } from "./errors.js";
import { isRecent } from "./ledger.js";

/**
 * @typedef {object} EpsilonLimit the most epsilon to spend; a limit that is not given is as large as the next wider one
 * @property {number} [perReport]
 * @property {number} [perRound] in all rounds of one label
 * @property {number} per30Days in any 30 days
 * @property {boolean} [steady] count what surveys with memory cost if answers never change, not what they cost if they do
 */

/** @typedef {Pick<import("./ledger.js").Entry, "epsilon" | "memory" | "change" | "memo">} Charge what a report spends */

/** Epsilon in whole billionths: their sums are exact, and equal in all languages. @param {number} epsilon */
export const billionths = (epsilon) => Math.floor(epsilon * 1e9 + 0.5);

/** @typedef {(charges: Charge[]) => number} Count what charges come to, in billionths */

/** Whatever the answers did. @type {Count} */
export const spentOn = (charges) => charges.reduce((sum, { epsilon, change = epsilon }) => sum + billionths(change), 0);

/** Each for itself, if its answer never changes. @type {Count} */
const spentAlone = (charges) => charges.reduce((sum, { epsilon }) => sum + billionths(epsilon), 0);

/** All together, if no answer of a survey with memory changed: those of one memo come to its `memory` at most. @type {Count} */
export function spentSteadily(charges) {
  /** @type {Map<string | undefined, number[]>} */
  const memos = new Map();
  for (const { epsilon, change = epsilon, memory = Infinity, memo } of charges) {
    const [most, spent] = memos.get(memo) ?? [0, 0];
    memos.set(memo, [Math.max(most, billionths(memory)), spent + billionths(change)]);
  }
  return [...memos.values()].reduce((sum, both) => sum + Math.min(...both), 0);
}

/**
 * The limits of an owner, complete.
 *
 * @param {number | EpsilonLimit} limit a number bounds reports, rounds and 30 days alike
 * @returns {Required<EpsilonLimit>}
 */
export function checkedLimit(limit) {
  const { per30Days = limit, perRound = per30Days, perReport = perRound, steady = false } = /** @type {any} */ (limit);
  const checked = { perReport, perRound, per30Days };
  for (const each of Object.values(checked)) must(each >= 0, "epsilonLimit", TypeError);
  must(typeof steady === "boolean", "epsilonLimit: steady", TypeError);
  return { ...checked, steady };
}

/**
 * The tier of most epsilon that no limit forbids; throws if all of them are forbidden.
 *
 * @param {Charge[]} tiers
 * @param {Required<EpsilonLimit>} limit
 * @param {import("./ledger.js").Spent[]} entries
 * @param {string} round the round's label
 * @param {number} now
 * @returns {number}
 */
export function chooseTier(tiers, limit, entries, round, now) {
  const [atOnce, inTime] = limit.steady ? [spentAlone, spentSteadily] : [spentOn, spentOn];
  /** @type {[keyof EpsilonLimit, Charge[], Count][]} */
  const counted = [
    ["perReport", [], atOnce],
    ["perRound", entries.filter((entry) => entry.round === round), atOnce],
    ["per30Days", entries.filter((entry) => isRecent(entry, now)), inTime],
  ];
  /** @type {string | undefined} */
  let objection;
  const best = [...tiers]
    .sort((one, other) => other.epsilon - one.epsilon)
    .find((charge) => {
      objection = counted.find(([name, before, count]) => !(count([...before, charge]) <= billionths(+limit[name])))?.[0];
      return !objection;
    });
  must(best, `${objection}: spent`, Skipped);
  return tiers.indexOf(best);
}
