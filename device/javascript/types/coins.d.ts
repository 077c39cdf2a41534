/**
 * The public coin of a device in a round: draws below given bounds that the server makes as well.
 *
 * @param {Uint8Array} seed the round's 16 bytes
 * @param {Uint8Array} device the device's 16 bytes
 * @returns {(n: number) => number}
 */
export function coin(seed: Uint8Array, device: Uint8Array): (n: number) => number;
/**
 * The attributes that a device is asked, drawn without replacement in proportion to their weights.
 *
 * @param {(n: number) => number} draw
 * @param {number[]} weights
 * @param {number} answers
 * @returns {number[]}
 */
export function assign(draw: (n: number) => number, weights: number[], answers: number): number[];
