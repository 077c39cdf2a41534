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
export function grid(value: number, low: number, high: number, points: number, draw: number): number;
/**
 * The index of an answer in a row of a linear code: a multiple of an inner product of digits.
 *
 * @param {Linear} code
 * @param {number} answer the answer's place
 * @param {number} row
 */
export function linear({ base, digits, multipliers, signed }: Linear, answer: number, row: number): number;
/**
 * What a negative sign adds to a level: the least power of two that is at least 2 and at least the number of levels.
 *
 * @param {number} levels
 */
export function signOf(levels: number): number;
export function rows({ base, digits, multipliers, signed }: Linear): number;
export function bin(edges: number[], value: number): number;
export type Linear = {
    base: number;
    digits: number;
    multipliers: number[];
    signed?: boolean | null | undefined;
};
