/**
 * The ledger: lines that say what was spent and what became of it, which nothing rewrites.
 */

/**
 * @typedef {object} Entry
 * @property {string} at
 * @property {string} event
 * @property {string} [survey]
 * @property {string} [round]
 * @property {number} [epsilon]
 * @property {string[]} [asked]
 */

const DAYS_30 = 30 * 24 * 3600 * 1000;

/**
 * A time as the protocol writes it.
 *
 * @param {number} milliseconds
 */
export const writeTime = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 19) + "Z";

/**
 * The milliseconds of a time, NaN if it is not written as the protocol does.
 *
 * @param {any} text
 */
export function readTime(text) {
  const time = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isFinite(time) && writeTime(time) === text ? time : NaN;
}

/**
 * The entries of a ledger, null if one cannot be read: then spending is unknown.
 *
 * @param {string} text the whole file; what follows its last end of line was not written in full, and does not count
 * @returns {Entry[] | null}
 */
export function readLedger(text) {
  try {
    const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    return lines.every(isEntry) ? lines : null;
  } catch {
    return null;
  }
}

function isEntry(/** @type {any} */ entry) {
  if (entry === null || Number.isNaN(readTime(entry.at)) || typeof entry.event !== "string") return false;
  if (entry.event === "forgotten" || entry.event === "clock") return true;
  if (typeof entry.survey !== "string" || typeof entry.round !== "string") return false;
  if (entry.event === "answered") return Number.isFinite(entry.epsilon) && entry.epsilon > 0;
  return entry.event === "accepted" || entry.event.startsWith("dropped: ");
}

/**
 * The times that each spending entry counts at.
 *
 * Its own; the latest time of any line before it, if that is 30 days or more after its own, because the clock was set back
 * since; and the time of each clock line after it that is 30 days or more before all of these, because the clock ran ahead.
 *
 * @param {Entry[]} entries
 * @returns {{entry: Entry, dates: number[]}[]}
 */
export function spending(entries) {
  /** @type {{entry: Entry, dates: number[], earliest: number}[]} */
  const spent = [];
  let latest = -Infinity;
  for (const entry of entries) {
    const time = readTime(entry.at);
    if (entry.event === "answered") {
      spent.push({ entry, dates: latest - time >= DAYS_30 ? [time, latest] : [time], earliest: time });
    } else if (entry.event === "clock") {
      for (const each of spent) {
        if (each.earliest - time >= DAYS_30) {
          each.dates.push(time);
          each.earliest = time;
        }
      }
    }
    latest = Math.max(latest, time);
  }
  return spent;
}

/**
 * Whether a ledger has an entry that lies wholly in the future, so that a clock line is due before anything is spent.
 *
 * @param {Entry[]} entries
 * @param {number} now
 */
export const isAhead = (entries, now) => spending(entries).some(({ dates }) => dates.every((date) => date - now >= DAYS_30));

/**
 * Whether an entry counts towards the 30 days around now.
 *
 * @param {number[]} dates
 * @param {number} now
 */
export const isRecent = (dates, now) => dates.some((date) => Math.abs(date - now) < DAYS_30);
