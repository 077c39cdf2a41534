/**
 * Codes: from an answer and a row, or a random word, to an index of a table.
 *
 * What happens here may cost accuracy, never privacy: whatever index comes out, the table hides it.
 */

/**
 * @typedef {object} Linear
 * @property {number} base
 * @property {number} digits
 * @property {number[]} multipliers
 * @property {boolean | null} [signed]
 */

/**
 * The index of a number on a grid, rounded at random so that its expectation is the number.
 *
 * @param {number} value within [low, high]
 * @param {number} low
 * @param {number} high
 * @param {number} points
 * @param {number} draw the highest 53 bits of the round word
 */
export function grid(value, low, high, points, draw) {
  const position = ((value - low) / (high - low)) * (points - 1);
  const left = Math.min(Math.floor(position), points - 2);
  return left + (draw < Math.floor((position - left) * 2 ** 53) ? 1 : 0);
}

/**
 * The number of vectors of so many digits whose highest non-zero digit is 1.
 *
 * @param {number} base
 * @param {number} digits
 */
const points = (base, digits) => (base ** digits - 1) / (base - 1);

/** The number of rows of a linear code. @param {Linear} code */
export const rows = ({ base, digits, multipliers, signed }) =>
  signed ? 2 ** (digits - 1) - 1 : multipliers.length * points(base, digits);

/**
 * The index of an answer in a row of a linear code: a multiple of an inner product of digits.
 *
 * @param {Linear} code
 * @param {number} answer the answer's place
 * @param {number} row
 */
export function linear({ base, digits, multipliers, signed }, answer, row) {
  const each = points(base, digits);
  let point = row % each;
  const multiplier = multipliers[(row - point) / each];
  let leading = signed ? 2 ** (digits - 1) : 1;
  if (signed) point++;
  // Before the points whose highest digit stands at a place come those of lower places: one, then g, then g^2 ...
  else for (; point >= leading; leading *= base) point -= leading;
  let vector = leading + point;
  let sum = 0;
  for (; answer && vector; answer = Math.floor(answer / base), vector = Math.floor(vector / base)) {
    sum += (answer % base) * (vector % base);
  }
  return (multiplier * (sum % base)) % base;
}

/**
 * The bin of a number: that of the last edge which it has reached, of those that start one.
 *
 * @param {number[]} edges
 * @param {number} value within the edges
 */
export const bin = (edges, value) => Math.min(edges.findLastIndex((edge) => edge <= value), edges.length - 2);

/**
 * What a negative sign adds to a level: the least power of two that is at least 2 and at least the number of levels.
 *
 * @param {number} levels 2 or more
 */
export const signOf = (levels) => 2 ** (32 - Math.clz32(levels - 1));
