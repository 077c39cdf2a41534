import { must } from "./errors.js";
import { integer, list, object } from "./rules.js";

/**
 * @typedef {object} Table
 * @property {boolean} dense whether each index has a row of its own; otherwise one row is turned by the index
 * @property {boolean} replaces whether it takes a kept symbol: the first count of its row is for keeping it, and each other for one to send
 * @property {number[][]} rows counts that sum to 2^53 in each row
 * @property {number} inputs how many indices it takes
 * @property {number} symbols how many symbols it gives
 */

const COUNTS = "counts: positive, sum 2**53";

/**
 * Check that a row holds probabilities. What is left of 2^53 is counted down, since sums above it are not exact.
 *
 * @param {any} counts
 * @returns {number[]}
 */
function readRow(counts) {
  let left = 2 ** 53;
  for (const count of list(counts, 2, 65536, COUNTS)) left -= integer(count, 1, left, COUNTS);
  must(!left, COUNTS);
  return counts;
}

/**
 * Read one table of a survey document.
 *
 * @param {any} value
 * @returns {Table}
 */
export function readTable(value) {
  const { kind, counts } = object(value);
  const dense = kind === "dense";
  const replaces = kind === "replace";
  must(dense || replaces || kind === "circulant", "kind");
  const rows = dense ? list(counts, 2, 65536, "counts", readRow) : [readRow(counts)];
  const { length } = rows[0];
  const symbols = replaces ? length - 1 : length;
  must(symbols > 1 && rows.every((row) => row.length === length), "counts: length");
  return { dense, replaces, rows, inputs: dense ? rows.length : symbols, symbols };
}

/**
 * The symbol that a table gives for an index: how many running sums of its row the draw has reached.
 *
 * @param {Table} table
 * @param {number} index
 * @param {number} draw the highest 53 bits of the table word
 */
export function symbol({ dense, replaces, rows, inputs }, index, draw) {
  const row = rows[dense ? index : 0];
  let reached = 0;
  while (draw >= row[reached]) draw -= row[reached++];
  if (replaces) return reached ? reached - 1 : index;
  return dense ? reached : (index + reached) % inputs;
}
