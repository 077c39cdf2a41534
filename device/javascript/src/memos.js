import { MEMOS } from "./consent.js";
import { must, Skipped } from "./errors.js";
import { MOST_BYTES } from "./json.js";
import { billionths } from "./limits.js";
import { extremes, floorOfExp, keeps } from "./proof.js";
import { ask } from "./report.js";
import { integer, within } from "./rules.js";
import { bytesOf } from "./stores/store.js";
import { fromHex, random, toHex } from "./words.js";

/**
 * `@harmony-ldp/device/memos`: what a device needs to answer surveys with memory, given to it as `memos`.
 *
 * A memo holds, for each answer that the survey's coin asks, one random word to round with and one for each index of its table. They stand for the
 * permanent symbol of each index, whatever the value is or will be: how many words are drawn and kept depends on the survey alone.
 *
 * Privacy: a memo is drawn once, and kept before anything is made of it. Nobody else changes the store meanwhile, so nobody draws a second
 * one, and only withdrawn consent removes it: a survey that is no longer listed may be listed again.
 */

/** @typedef {import("./limits.js").Charge} Charge */
/** @typedef {import("./survey.js").Survey} Survey */

/** The most words that a device keeps for a survey: as many as browsers draw at once. */
const MOST_WORDS = 8192;

const TOTAL = 1n << 53n;

/** @typedef {typeof memos} Memos */
export const memos = {
  /** How charges count if no answer of a survey with memory changes: those of one memo come to its `memory` in 30 days. */
  counts: { perReport: alone, perRound: alone, per30Days: steadilySpentOn },

  /**
   * Read the replace tables, and prove that memos keep `memory`, reports `epsilon` and each report of another answer `change`, all by the
   * part of one answer; or refuse the survey.
   *
   * @param {any} document @param {import("./survey.js").Asked[]} attributes @param {import("./tables.js").Table[]} tables
   */
  prove({ epsilon, answers, memory, change, attributes: documents }, attributes, tables) {
    must(epsilon != null, "memory with tiers");
    const [kept, sent, changed] = [within(memory, 0.0001, 20, "memory"), epsilon, within(change, 0.0001, 20, "change")].map((each) => floorOfExp(each, answers));
    const proved = new Map();
    attributes.forEach(({ mechanisms: [mechanism] }, i) => {
      const { table } = mechanism;
      const replace = tables[integer(documents[i].mechanisms[0].replace, 0, tables.length - 1, "replace")];
      must(replace.replaces, "replace");
      must(replace.symbols === table.symbols, "replace: symbols");
      mechanism.replace = replace;
      if (proved.get(table)?.has(replace)) return;
      proved.set(table, (proved.get(table) ?? new Set()).add(replace));
      const counts = extremes(table);
      must(keeps(counts, kept), "memory of a table");
      must(keeps(after(counts, replace), sent), "epsilon of two tables");
      const [keep, ...each] = replace.rows[0].map(BigInt);
      must(keeps(each.map((count) => [keep + count, count]), changed), "change of a table");
    });
    must(answers * (1 + attributes.reduce((most, { mechanisms: [{ table }] }) => Math.max(most, table.inputs), 0)) <= MOST_WORDS, "memory: words");
  },

  /**
   * The memo of a device for a survey. One that is new is kept only by its `keep`, before anything is made of it.
   *
   * @param {import("./stores/store.js").Files} files @param {Survey} survey @param {Uint8Array} device
   */
  find(files, survey, device) {
    const { fingerprint, attributes, memory, change } = survey;
    const asked = ask(survey, 0, device, device);
    const words = asked.reduce((sum, [i]) => sum + 1 + attributes[i].mechanisms[0].table.inputs, 0);
    const file = MEMOS + fingerprint;
    const id = toHex(device);
    let content = files.get(file) ?? "";
    // A memo is whole, and this device's, or none.
    const isKept = content.length === 2 * (24 + 8 * words) && content.startsWith(id) && /^[\da-f]*$/.test(content);
    if (!isKept) {
      must(bytesOf(files, MEMOS) + 2 * (24 + 8 * words) <= MOST_BYTES, "too many memos", Skipped);
      content = id + toHex(random(8)) + toHex(random(8 * words));
    }
    return {
      charge: { memory: memory ?? undefined, change: change ?? undefined, memo: content.slice(32, 48) },
      words: fromHex(content.slice(48)),
      keep: () => isKept || files.set(file, content),
    };
  },
};

/**
 * The largest and smallest counts of a table and the replace table after it, in counts of 2^106.
 *
 * @param {bigint[][]} counts @param {import("./tables.js").Table} replace
 */
export function after(counts, { rows: [row] }) {
  const [keep, ...each] = row.map(BigInt);
  const least = each.reduce((one, other) => (one < other ? one : other));
  return counts.map((both, i) => both.map((count) => keep * count + TOTAL * (counts.length > 1 ? each[i] : least)));
}

/** What charges come to, each for itself, in billionths. @param {Charge[]} charges */
function alone(charges) {
  return charges.reduce((sum, { epsilon }) => sum + billionths(epsilon), 0);
}

/** What charges come to if no answer of a survey with memory changed, in billionths. @param {Charge[]} charges */
export function steadilySpentOn(charges) {
  /** @type {Map<string, {most: number, spent: number}>} */
  const memos = new Map();
  let sum = 0;
  for (const { epsilon, memory = 0, change = 0, memo } of charges) {
    if (memo == null) sum += billionths(epsilon);
    else {
      const { most, spent } = memos.get(memo) ?? { most: 0, spent: 0 };
      memos.set(memo, { most: Math.max(most, billionths(memory)), spent: spent + billionths(change) });
    }
  }
  return [...memos.values()].reduce((sum, { most, spent }) => sum + Math.min(most, spent), sum);
}
