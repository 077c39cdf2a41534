/**
 * The proof that a table keeps its promise, in exact integers.
 *
 * An index is hidden if no symbol is more than e^epsilon times as probable under one index as under another. The largest and
 * the smallest count of a symbol over all indices decide that, and a whole number below e^epsilon * 2^128 stands for e^epsilon.
 */

const ONE = 1n << 256n;

/**
 * An integer below e^(epsilon / answers) * 2^128, by less than 2^28.
 *
 * @param {number} epsilon taken at its exact binary value
 * @param {number} answers
 */
export function floorOfExp(epsilon, answers) {
  let denominator = BigInt(answers * 64);
  // Doubling is exact, and makes every double an integer in the end.
  for (; epsilon % 1; denominator *= 2n) epsilon *= 2;
  const power = (BigInt(epsilon) * ONE) / denominator;
  let sum = ONE;
  for (let term = ONE, order = 1n; term; order++) sum += term = (term * power) / ONE / order;
  for (let times = 6; times--; ) sum = (sum * sum) / ONE;
  return sum >> 128n;
}

/**
 * The largest and the smallest count of each symbol over all indices; under a circulant table every symbol meets every count of the one row.
 *
 * @param {import("./tables.js").Table} table
 * @returns {bigint[][]}
 */
export function extremes({ dense, rows }) {
  const columns = dense ? rows[0].map((_, symbol) => rows.map((row) => row[symbol])) : rows;
  return columns.map((column) => [Math.max, Math.min].map((most) => BigInt(column.reduce((one, other) => most(one, other)))));
}

/**
 * Whether no symbol is more probable under one index than the bound allows, compared with any other.
 *
 * @param {bigint[][]} counts its largest and smallest, of each symbol
 * @param {bigint} floor
 */
export const keeps = (counts, floor) => counts.every(([largest, smallest]) => largest << 128n <= floor * smallest);
