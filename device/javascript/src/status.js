import { BACKOFF, remaining } from "./backoff.js";
import { withdrawalOf } from "./consent.js";
import { identityOf } from "./identity.js";
import { entriesOf, isRecent } from "./ledger.js";
import { spentOn, spentSteadily } from "./limits.js";
import { waitingIn } from "./outbox.js";

/**
 * @typedef {object} Status for a device's owner to read: no value, no credential
 * @property {string | null} trouble what keeps the rest from being known
 * @property {string} [server]
 * @property {string} [device] its id
 * @property {boolean} [withdrawn]
 * @property {number} [deletionsToConfirm]
 * @property {number} [roundsAnswered]
 * @property {number} [spentIn30Days] at worst
 * @property {number} [steadyIn30Days] if no answer of a survey with memory changed
 * @property {number} [spentInAll] at worst
 * @property {number} [steadyInAll]
 * @property {number} [reportsWaiting] that the server has not acknowledged
 * @property {number} [nextAttempt] in how many seconds the server may be asked again
 */

/**
 * Who this device is, what waits and what was spent.
 *
 * @param {import("./stores/store.js").Files} files
 * @returns {Status}
 */
export function statusOf(files) {
  const { server, device } = identityOf(files) ?? {};
  const { by, pending } = withdrawalOf(files);
  const entries = entriesOf(files);
  const recent = entries.filter((entry) => isRecent(entry, Date.now()));
  return {
    trouble: null,
    server,
    device,
    withdrawn: !!by,
    deletionsToConfirm: pending.length,
    roundsAnswered: entries.length,
    spentIn30Days: spentOn(recent) / 1e9,
    steadyIn30Days: spentSteadily(recent) / 1e9,
    spentInAll: spentOn(entries) / 1e9,
    steadyInAll: spentSteadily(entries) / 1e9,
    reportsWaiting: waitingIn(files).length,
    nextAttempt: remaining(files, BACKOFF),
  };
}
