import { isRecent, spending } from "./ledger.js";

/**
 * @typedef {object} Limits what an owner lets a device spend, in billionths
 * @property {number} perReport
 * @property {number} perRound
 * @property {number} per30Days
 */

/** Epsilon in whole billionths, which add exactly. @param {number} epsilon */
export const billionths = (epsilon) => Math.floor(epsilon * 1e9 + 0.5);

/**
 * The tier of most epsilon that no limit forbids, or the limit that forbids all of them.
 *
 * @param {number[]} tiers
 * @param {Limits} limits
 * @param {import("./ledger.js").Entry[]} entries
 * @param {string} round the round's label
 * @param {number} now
 * @returns {number | keyof Limits}
 */
export function chooseTier(tiers, limits, entries, round, now) {
  const spent = spending(entries);
  const sum = (/** @type {typeof spent} */ some) => some.reduce((total, { entry }) => total + billionths(/** @type {number} */ (entry.epsilon)), 0);
  /** @type {Limits} */
  const left = {
    perReport: limits.perReport,
    perRound: limits.perRound - sum(spent.filter(({ entry }) => entry.round === round)),
    per30Days: limits.per30Days - sum(spent.filter(({ dates }) => isRecent(dates, now))),
  };
  const least = Math.min(...Object.values(left));
  const allowed = tiers.filter((epsilon) => billionths(epsilon) <= least);
  if (allowed.length) return tiers.indexOf(Math.max(...allowed));
  // The limit that forbids the least tier forbids all of them.
  const smallest = billionths(Math.min(...tiers));
  return /** @type {(keyof Limits)[]} */ (Object.keys(left)).find((limit) => left[limit] < smallest) ?? "perReport";
}
