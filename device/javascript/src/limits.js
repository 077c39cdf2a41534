import { must, Skipped } from "./errors.js";
import { isRecent } from "./ledger.js";

/**
 * @typedef {object} EpsilonLimit the most epsilon to spend; a limit that is not given is as large as the next wider one
 * @property {number} [perReport]
 * @property {number} [perRound] in all rounds of one label
 * @property {number} per30Days in any 30 days
 * @property {boolean} [steady] with memos: count what surveys with memory cost if answers never change, not what they cost if they do
 */

/** @typedef {Pick<import("./ledger.js").Entry, "epsilon" | "memory" | "change" | "memo">} Charge what a report spends */
/** @typedef {(charges: Charge[]) => number} Count what charges come to, in billionths */
/** @typedef {{perReport: number, perRound: number, per30Days: number}} Bounds */
/** @typedef {Bounds & {counts?: Record<keyof Bounds, Count> | false}} Limits complete ones, and how charges count towards them if not at their worst */

/** Epsilon in whole billionths: their sums are exact, and equal in all languages. @param {number} epsilon */
export const billionths = (epsilon) => Math.floor(epsilon * 1e9 + 0.5);

/** What charges come to whatever the answers did, in billionths. @type {Count} */
export const spentOn = (charges) => charges.reduce((sum, { epsilon, change }) => sum + billionths(change ?? epsilon), 0);

/**
 * The limits of an owner, complete.
 *
 * @param {number | EpsilonLimit} limit a number bounds reports, rounds and 30 days alike
 * @param {import("./memos.js").Memos} [memos]
 * @returns {Limits}
 */
export function checkedLimit(limit, memos) {
  const { per30Days = limit, perRound = per30Days, perReport = perRound, steady } = /** @type {any} */ (limit);
  const checked = { perReport, perRound, per30Days };
  for (const each of Object.values(checked)) must(each >= 0, "epsilonLimit", TypeError);
  return { ...checked, counts: steady && memos?.counts };
}

/**
 * The tier of most epsilon that no limit forbids; throws if all of them are forbidden.
 *
 * @param {Charge[]} tiers
 * @param {Limits} limit
 * @param {import("./ledger.js").Spent[]} entries
 * @param {string} round the round's label
 * @param {number} now
 * @returns {number}
 */
export function chooseTier(tiers, limit, entries, round, now) {
  const spent = {
    perReport: /** @type {Charge[]} */ ([]),
    perRound: entries.filter((entry) => entry.round === round),
    per30Days: entries.filter((entry) => isRecent(entry, now)),
  };
  const forbids = (/** @type {Charge} */ charge) =>
    /** @type {(keyof Bounds)[]} */ (Object.keys(spent)).find((name) => !((limit.counts ? limit.counts[name] : spentOn)([...spent[name], charge]) <= billionths(limit[name])));
  /** @type {string | undefined} */
  let objection;
  const best = [...tiers].sort((one, other) => other.epsilon - one.epsilon).find((charge) => !(objection = forbids(charge)));
  must(best, `${objection}: spent`, Skipped);
  return tiers.indexOf(best);
}
