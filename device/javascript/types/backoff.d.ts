/**
 * How many seconds of a pause are left; a clock that is set back cannot prolong it.
 *
 * @param {Files} files @param {string} file
 */
export function remaining(files: Files, file: string): number;
/**
 * Start the next pause, of at least what the server asked for, and return its length.
 *
 * @param {Files} files @param {number} [retryAfter]
 */
export function failed(files: Files, retryAfter?: number): number;
/**
 * Pauses: how long to leave a server alone after it failed, or asked for it; also across restarts.
 *
 * After failures they double from two seconds to an hour, each shortened at random by up to half, so that a fleet that failed together
 * does not come back together.
 */
/** @typedef {import("./stores/store.js").Files} Files */
export const BACKOFF: "backoff.txt";
/** The file of a training's pause is this and its name. */
export const PAUSE: "pause-";
export function pause(files: Files, training: string, seconds: number): number;
export type Files = import("./stores/store.js").Files;
