import { isLabel, isName, isString } from "./rules.js";
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
 * @property {string} report in hexadecimal
 * @property {number} at in seconds
 */

export const OUTBOX = "outbox/";

/** The file of a round's report: the same round never has two. @param {string} survey @param {string} round */
export const fileOf = (survey, round) => `${OUTBOX}${survey}\n${round}`;

/** How many bytes wait. @param {Files} files */
export const bytesWaiting = (files) => namesOf(files, OUTBOX).reduce((sum, name) => sum + (files.get(name) ?? "").length, 0);

/**
 * The reports that wait, oldest first; files that hold none are not among them.
 *
 * @param {Files} files
 * @returns {Waiting[]}
 */
export const waitingIn = (files) =>
  namesOf(files, OUTBOX)
    .map((file) => ({ ...readJson(files, file), file }))
    .filter(({ survey, round, report, at }) => isName(survey) && isLabel(round) && isString(report) && at)
    .sort((one, other) => one.at - other.at);
