/**
 * @typedef {object} Status for a device's owner to read: no value, no credential
 * @property {string | null} trouble what keeps the rest from being known
 * @property {string} [server]
 * @property {string} [device] its id
 * @property {boolean} [withdrawn]
 * @property {number} [deletionsToConfirm]
 * @property {number} [roundsAnswered]
 * @property {number} [spentIn30Days]
 * @property {number} [spentInAll]
 * @property {number} [reportsWaiting] that the server has not acknowledged
 * @property {number} [nextAttempt] in how many seconds the server may be asked again
 */
/**
 * Who this device is, what waits and what was spent.
 *
 * @param {import("./stores/store.js").Files} files
 * @returns {Status}
 */
export function statusOf(files: import("./stores/store.js").Files): Status;
/**
 * for a device's owner to read: no value, no credential
 */
export type Status = {
    /**
     * what keeps the rest from being known
     */
    trouble: string | null;
    server?: string | undefined;
    /**
     * its id
     */
    device?: string | undefined;
    withdrawn?: boolean | undefined;
    deletionsToConfirm?: number | undefined;
    roundsAnswered?: number | undefined;
    spentIn30Days?: number | undefined;
    spentInAll?: number | undefined;
    /**
     * that the server has not acknowledged
     */
    reportsWaiting?: number | undefined;
    /**
     * in how many seconds the server may be asked again
     */
    nextAttempt?: number | undefined;
};
