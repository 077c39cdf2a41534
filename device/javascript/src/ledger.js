import { DeviceError, must } from "./errors.js";
import { finite, integer, isText } from "./rules.js";

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
 * @property {number} [number] of the round, if it has one
 * @property {number} [memory] what all reports of a memo spent together, if the answer never changed
 * @property {number} [change] what it spent at worst, in a survey with memory
 * @property {string} [memo] the name of what it was made of, in a survey with memory
 * @property {string} state what became of the report: "waiting", "accepted", or "dropped: " and why
 *
 * @typedef {Entry & {dates: number[]}} Spent an entry, and the times at which it may have been, as far as clocks can be trusted
 */

export const LEDGER = "ledger.jsonl";

const DAYS_30 = 30 * 86400e3;

/** A time as the protocol writes it. @param {number} now in milliseconds */
export const writeTime = (now) => new Date(now).toISOString().slice(0, 19) + "Z";

/**
 * Every answered round, oldest first; throws if a line cannot be read, so that spending is unknown.
 *
 * An entry's dates are its own; the latest time of any line before it, if that is 30 days or more after its own, because the clock
 * was set back since; and the time of each clock line after it that is 30 days or more before all of these, because the clock ran ahead.
 *
 * @param {string} text the whole file; what follows its last end of line was not written in full, and does not count
 * @returns {Spent[]}
 */
export function readLedger(text) {
  /** @type {Spent[]} */
  const spent = [];
  let latest = -Infinity;
  try {
    for (const line of text.split("\n").slice(0, -1)) {
      const { at, event, survey, round, epsilon, asked, number, memory, change, memo } = JSON.parse(line);
      const time = Date.parse(at);
      const isOfRound = [event, survey, round].every(isText);
      if (writeTime(time) !== at || at < "0001") throw 0; // the year before it is not one in every language
      if (event === "answered" && isOfRound && Array.isArray(asked)) {
        const remembers = (memo ?? memory ?? change) != null;
        for (const each of remembers ? [epsilon, memory, change] : [epsilon]) finite(each, event, 0);
        integer(number ?? 0, 0, Number.MAX_SAFE_INTEGER, event);
        must(!remembers || isText(memo), event);
        const dates = latest - time >= DAYS_30 ? [time, latest] : [time];
        spent.push({ at, survey, round, epsilon, asked, number, ...(remembers && { memory, change, memo }), state: "waiting", dates });
      } else if (isOfRound && /^(accepted$|dropped: )/.test(event)) {
        for (const each of spent) if (each.survey === survey && each.round === round) each.state = event;
      } else if (event === "clock") {
        for (const { dates } of spent) if (Math.min(...dates) - time >= DAYS_30) dates.push(time);
      } else if (event !== "forgotten") {
        throw 0; // perhaps of a later version, which may have spent something
      }
      latest = Math.max(latest, time);
    }
    return spent;
  } catch {
    throw new DeviceError(`${LEDGER}: damaged, so spending is unknown`);
  }
}

/** Every answered round of a device. @param {Files} files */
export const entriesOf = (files) => readLedger(files.get(LEDGER) ?? "");

/**
 * Whether a round was answered, or any round of a training.
 *
 * @param {Entry[]} entries @param {string} name @param {string} [label]
 */
export const isDone = (entries, name, label) => entries.some(({ survey, round }) => survey === name && (label ?? round) === round);

/**
 * Write a line: what was spent, what became of a report, or that consent was withdrawn.
 *
 * @param {Files} files @param {string} event @param {object} [rest]
 */
export const note = (files, event, rest) => files.append(LEDGER, { at: writeTime(Date.now()), event, ...rest });

/**
 * Whether entries lie wholly in the future: their clock ran ahead. A `clock` line lets them count from now on.
 *
 * @param {Spent[]} entries @param {number} now
 */
export const isAhead = (entries, now) => entries.some(({ dates }) => Math.min(...dates) - now >= DAYS_30);

/** Whether an entry counts towards the 30 days around now. @param {Spent} entry @param {number} now */
export const isRecent = ({ dates }, now) => dates.some((date) => Math.abs(date - now) < DAYS_30);
