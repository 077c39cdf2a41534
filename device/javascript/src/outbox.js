import { isString } from "./rules.js";
import { namesOf, readJson } from "./stores/store.js";

/**
 * The outbox: reports that the server has not acknowledged yet.
 *
 * A report is kept here before it is first sent, and sent from here only, so that what is sent again after a lost answer or a crash is the same bytes.
 */

/** @typedef {import("./stores/store.js").Files} Files */

/**
 * @typedef {object} Waiting
 * @property {string} file
 * @property {string} survey
 * @property {string} round
 * @property {string} report in hexadecimal; empty if the file is damaged
 * @property {number} at in seconds
 */

export const OUTBOX = "outbox/";

/** The file of a round's report: the same round never has two. @param {string} survey @param {string} round */
export const fileOf = (survey, round) => `${OUTBOX}${survey}\n${round}`;

/**
 * The reports that wait, oldest first.
 *
 * @param {Files} files
 * @returns {Waiting[]}
 */
export const waitingIn = (files) =>
  namesOf(files, OUTBOX)
    .map((file) => {
      const [survey, round] = file.slice(OUTBOX.length).split("\n");
      const { report, at } = readJson(files, file);
      return { file, survey, round, report: at > 0 && isString(report) ? report : "", at: at || 0 };
    })
    .sort((one, other) => one.at - other.at);
