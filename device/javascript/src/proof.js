/**
 * The proof that a table keeps its promise, in exact integers.
 *
 * An index is hidden if no symbol is more than e^epsilon times as probable under one index as under another. The largest and
 * the smallest count of a symbol over all indices decide that, and a whole number below e^epsilon * 2^128 stands for e^epsilon.
 */

const ONE = 1n << 256n;

/**
 * A double as a fraction whose denominator is a power of two.
 *
 * @param {number} value positive
 * @returns {[bigint, bigint]}
 */
function fraction(value) {
  let power = 0n;
  // Doubling is exact, and every epsilon from 0.0001 on is an integer after at most 66 doublings.
  for (; !Number.isInteger(value); power++) value *= 2;
  return [BigInt(value), 1n << power];
}

/**
 * An integer below e^(epsilon / answers) * 2^128, by less than 2^28.
 *
 * @param {number} epsilon
 * @param {number} answers
 */
export function floorOfExp(epsilon, answers) {
  const [p, q] = fraction(epsilon);
  const power = (p * ONE) / (q * BigInt(answers * 64));
  let sum = ONE;
  for (let term = ONE, order = 1n; term > 0n; order++) {
    term = (term * power) / ONE / order;
    sum += term;
  }
  for (let times = 0; times < 6; times++) sum = (sum * sum) / ONE;
  return sum >> 128n;
}

/**
 * Whether no symbol of a table is more probable under one index than the bound allows, compared with any other.
 *
 * Under a circulant table every symbol meets every count of the one row.
 *
 * @param {import("./tables.js").Table} table
 * @param {bigint} floor
 */
export function keeps({ dense, rows, symbols }, floor) {
  const isKept = (/** @type {number} */ largest, /** @type {number} */ smallest) =>
    largest === smallest || BigInt(largest) << 128n <= floor * BigInt(smallest);
  const largest = rows[0].slice();
  const smallest = rows[0].slice();
  for (const row of rows) {
    for (let symbol = 0; symbol < symbols; symbol++) {
      const at = dense ? symbol : 0;
      if (row[symbol] > largest[at]) largest[at] = row[symbol];
      if (row[symbol] < smallest[at]) smallest[at] = row[symbol];
    }
  }
  return dense ? largest.every((count, at) => isKept(count, smallest[at])) : isKept(largest[0], smallest[0]);
}
