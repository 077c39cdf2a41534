import { integer, list, object, refuse } from "./refusal.js";

/**
 * @typedef {object} Table
 * @property {boolean} dense whether each index has a row of its own; otherwise one row is turned by the index
 * @property {number[][]} rows counts that sum to 2^53 in each row
 * @property {number} inputs how many indices it takes
 * @property {number} symbols how many symbols it gives
 */

const TOTAL = 2 ** 53;

/**
 * Check that a row holds probabilities. What is left of 2^53 is counted down, since sums above it are not exact.
 *
 * @param {any} counts
 * @param {string} field
 * @returns {number[]}
 */
function readRow(counts, field) {
  let left = TOTAL;
  for (const count of list(counts, 2, 65536, field)) {
    if (!(Number.isSafeInteger(count) && count > 0)) refuse(field, "positive integers");
    left -= count;
    if (left < 0) break;
  }
  return left ? refuse(field, "counts whose sum is 2^53") : counts;
}

/**
 * Read one table of a survey document.
 *
 * @param {any} value
 * @param {string} field
 * @returns {Table}
 */
export function readTable(value, field) {
  const { kind, counts } = object(value, field);
  field += ".counts";
  if (kind === "circulant") {
    const row = readRow(counts, field);
    return { dense: false, rows: [row], inputs: row.length, symbols: row.length };
  }
  if (kind !== "dense") refuse(field.replace("counts", "kind"), "dense or circulant");
  const rows = list(counts, 2, 65536, field).map((row) => readRow(row, field));
  if (rows.some((row) => row.length !== rows[0].length)) refuse(field, "rows of one length");
  return { dense: true, rows, inputs: rows.length, symbols: rows[0].length };
}

/**
 * The symbol that a table gives for an index: how many running sums of its row the draw has reached.
 *
 * @param {Table} table
 * @param {number} index
 * @param {number} draw the highest 53 bits of the table word
 */
export function symbol({ dense, rows, inputs }, index, draw) {
  const row = rows[dense ? index : 0];
  let reached = 0;
  while (draw >= row[reached]) draw -= row[reached++];
  return dense ? reached : (index + reached) % inputs;
}
