import { MEMOS } from "./consent.js";
import { must, Skipped } from "./errors.js";
import { MOST_BYTES } from "./json.js";
import { extremes, floorOfExp, keeps } from "./proof.js";
import { ask } from "./report.js";
import { within } from "./rules.js";
import { bytesOf } from "./stores/store.js";
import { fromHex, random, toHex } from "./words.js";

/**
 * Memos: what a device keeps between the rounds of a survey with memory.
 *
 * A memo holds, for each answer that the survey's coin asks, one random word to round with and one for each index of its table. They stand for the
 * permanent symbol of each index, whatever the value is or will be: how many words are drawn and kept depends on the survey alone.
 *
 * Privacy: a memo is drawn once, and kept before anything is made of it. Nobody else changes the store meanwhile, so nobody draws a second
 * one, and only withdrawn consent removes it: a survey that is no longer listed may be listed again.
 */

/** @typedef {import("./tables.js").Table} Table */

/** The most words that a device keeps for a survey: as many as browsers draw at once. */
const MOST_WORDS = 8192;

/**
 * Prove that what is kept keeps `memory`, what is sent `epsilon`, and what is sent given what is kept `change`, or refuse the survey.
 *
 * @param {any} document @param {import("./survey.js").Asked[]} attributes
 */
export function proveMemory({ epsilon, memory, change, answers }, attributes) {
  must(epsilon != null, "memory with tiers");
  const [kept, sent, changed] = Object.entries({ memory, epsilon, change }).map(([field, each]) => floorOfExp(within(each, 0.0001, 20, field), answers));
  const proved = new Map();
  for (const { mechanisms: [{ table, replace }] } of attributes) {
    must(replace && replace.symbols === table.symbols, "replace: symbols");
    must(answers * (1 + table.inputs) <= MOST_WORDS, "memory: words");
    // Each table is proved once, with the one that goes with it.
    must((proved.get(table) ?? replace) === replace, "replace: another for a table");
    if (proved.has(table)) continue;
    proved.set(table, replace);
    const [keep, ...each] = replace.rows[0].map(BigInt);
    must(keeps(extremes(table), kept), "memory of a table");
    must(keeps(after(table, replace), sent), "epsilon of two tables");
    must(keeps(each.map((count) => [keep + count, count]), changed), "change of a table");
  }
}

/**
 * The largest and smallest counts of a table and the replace table after it, in counts of 2^106.
 *
 * @param {Table} table @param {Table} replace
 */
export function after(table, { rows }) {
  const [keep, ...each] = rows[0].map(BigInt);
  const least = each.reduce((one, other) => (one < other ? one : other));
  return extremes(table).map((both, i) => both.map((count) => keep * count + ((table.dense ? each[i] : least) << 53n)));
}

/**
 * The memo of a device for a survey with memory: a new one, if it has none that is whole, which is kept only by its `keep`.
 *
 * @param {import("./stores/store.js").Files} files @param {import("./survey.js").Survey} survey @param {Uint8Array} device
 */
export function memoOf(files, survey, device) {
  const { attributes, fingerprint, remembers } = survey;
  if (!remembers) return;
  const words = ask(survey, 0, device, device).reduce((sum, [i]) => sum + 1 + attributes[i].mechanisms[0].table.inputs, 0);
  const size = 2 * (24 + 8 * words);
  const file = MEMOS + fingerprint;
  const id = toHex(device);
  const kept = files.get(file) ?? "";
  const isWhole = kept.length === size && kept.startsWith(id) && /^[\da-f]*$/.test(kept);
  must(isWhole || bytesOf(files, MEMOS) + size <= MOST_BYTES, "too many memos", Skipped);
  const content = isWhole ? kept : id + toHex(random(8)) + toHex(random(8 * words));
  return {
    charge: { ...remembers, memo: content.slice(32, 48) },
    words: fromHex(content.slice(48)),
    keep: () => isWhole || files.set(file, content),
  };
}
