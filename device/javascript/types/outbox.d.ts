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
export const OUTBOX: "outbox/";
export function fileOf(survey: string, round: string): string;
export function bytesWaiting(files: Files): number;
export function waitingIn(files: Files): Waiting[];
export type Files = import("./stores/store.js").Files;
export type Waiting = {
    file: string;
    survey: string;
    round: string;
    /**
     * in hexadecimal; empty if the file is damaged
     */
    report: string;
    /**
     * in seconds
     */
    at: number;
};
