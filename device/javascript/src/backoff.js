import { random } from "./words.js";

/**
 * Pauses: how long to leave a server alone after it failed, or asked for it; also across restarts.
 *
 * After failures they double from two seconds to an hour, each shortened at random by up to half, so that a fleet that failed together
 * does not come back together.
 */

/** @typedef {import("./stores/store.js").Files} Files */

export const BACKOFF = "backoff.txt";

/** The file of a training's pause is this and its name. */
export const PAUSE = "pause-";

const LONGEST = 3600;
const LONGEST_ASKED = 86400;

/** Failures, when the pause ends and how long it is. @param {Files} files @param {string} file */
const read = (files, file) => (files.get(file) ?? "").split(" ").map(Number);

/** @param {Files} files @param {string} file @param {number} failures @param {number} length */
function write(files, file, failures, length) {
  files.set(file, `${failures} ${Date.now() / 1000 + length} ${length}\n`);
  return length;
}

/**
 * How many seconds of a pause are left; a clock that is set back cannot prolong it.
 *
 * @param {Files} files @param {string} file
 */
export function remaining(files, file) {
  const [, until, length] = read(files, file);
  return Math.min(Math.max(0, until - Date.now() / 1000), length, LONGEST_ASKED) || 0;
}

/**
 * Start the next pause, of at least what the server asked for, and return its length.
 *
 * @param {Files} files @param {number} [retryAfter]
 */
export function failed(files, retryAfter = 0) {
  const failures = (read(files, BACKOFF)[0] || 0) + 1;
  const length = Math.min(LONGEST, 2 ** Math.min(failures, 30)) * (0.5 + new Uint32Array(random(4).buffer)[0] / 2 ** 33);
  return write(files, BACKOFF, failures, Math.max(length, Math.min(retryAfter, LONGEST_ASKED)));
}

/**
 * Start a pause of the length that the server asked for, which is no failure.
 *
 * @param {Files} files @param {string} training @param {number} seconds
 */
export const pause = (files, training, seconds) => write(files, PAUSE + training, 1, Math.min(seconds, LONGEST_ASKED));
