/**
 * Every answered round, oldest first; throws if a line cannot be read, so that spending is unknown.
 *
 * An entry's dates are its own; the latest time of any line before it, if that is 30 days or more after its own, because the clock
 * was set back since; and the time of each clock line after it that is 30 days or more before all of these, because the clock ran ahead.
 *
 * @param {string} text the whole file; what follows its last end of line was not written in full, and does not count
 * @returns {Spent[]}
 */
export function readLedger(text: string): Spent[];
/**
 * The ledger: what was asked of this device, when, and how much epsilon it spent.
 *
 * Privacy: a charge is durable before a report is drawn, so a crash can lose a report that was paid for but never make one that was
 * not. A round is charged once, whatever happens to its report. The ledger holds no value and no symbol.
 */
/** @typedef {import("./stores/store.js").Files} Files */
/**
 * @typedef {object} Entry one answered round
 * @property {string} at when, as YYYY-MM-DDTHH:MM:SSZ
 * @property {string} survey the survey's name, or the training's
 * @property {string} round
 * @property {number} epsilon what it spent
 * @property {string[]} asked the attributes that were asked
 * @property {string} state what became of the report: "waiting", "accepted", or "dropped: " and why
 *
 * @typedef {Entry & {dates: number[]}} Spent an entry, and the times at which it may have been, as far as clocks can be trusted
 */
export const LEDGER: "ledger.jsonl";
export function writeTime(now: number): string;
export function entriesOf(files: Files): Spent[];
export function isDone(entries: Entry[], name: string, label?: string): boolean;
export function note(files: Files, event: string, rest?: object): void;
export function isAhead(entries: Spent[], now: number): boolean;
export function isRecent({ dates }: Spent, now: number): boolean;
export type Files = import("./stores/store.js").Files;
/**
 * one answered round
 */
export type Entry = {
    /**
     * when, as YYYY-MM-DDTHH:MM:SSZ
     */
    at: string;
    /**
     * the survey's name, or the training's
     */
    survey: string;
    round: string;
    /**
     * what it spent
     */
    epsilon: number;
    /**
     * the attributes that were asked
     */
    asked: string[];
    /**
     * what became of the report: "waiting", "accepted", or "dropped: " and why
     */
    state: string;
};
/**
 * an entry, and the times at which it may have been, as far as clocks can be trusted
 */
export type Spent = Entry & {
    dates: number[];
};
