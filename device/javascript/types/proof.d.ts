/**
 * An integer below e^(epsilon / answers) * 2^128, by less than 2^28.
 *
 * @param {number} epsilon taken at its exact binary value
 * @param {number} answers
 */
export function floorOfExp(epsilon: number, answers: number): bigint;
/**
 * Whether no symbol of a table is more probable under one index than the bound allows, compared with any other.
 *
 * Under a circulant table every symbol meets every count of the one row.
 *
 * @param {import("./tables.js").Table} table
 * @param {bigint} floor
 */
export function keeps({ dense, rows }: import("./tables.js").Table, floor: bigint): boolean;
