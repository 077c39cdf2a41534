import { siphash } from "./siphash.js";
import { below } from "./words.js";

/**
 * The public coin of a device in a round: draws below given bounds that the server makes as well.
 *
 * @param {Uint8Array} seed the round's 16 bytes
 * @param {Uint8Array} device the device's 16 bytes
 * @returns {(n: number) => number}
 */
export function coin(seed, device) {
  const message = new Uint8Array(20);
  message.set(device);
  let drawn = 0;
  /** @type {bigint} */
  let word;
  return (n) => {
    if (drawn++ % 2) word >>= 32n;
    else {
      new DataView(message.buffer).setUint32(16, drawn >> 1, true);
      word = siphash(seed, message);
    }
    return below(BigInt.asUintN(32, word), n);
  };
}

/**
 * The attributes that a device is asked, drawn without replacement in proportion to their weights.
 *
 * @param {(n: number) => number} draw
 * @param {number[]} weights
 * @param {number} answers
 * @returns {number[]}
 */
export function assign(draw, weights, answers) {
  const pool = weights.map((_, i) => i);
  let left = weights.reduce((sum, weight) => sum + weight);
  for (let i = 0; i < answers; i++) {
    let rest = draw(left);
    let j = i;
    while (rest >= weights[pool[j]]) rest -= weights[pool[j++]];
    [pool[i], pool[j]] = [pool[j], pool[i]];
    left -= weights[pool[i]];
  }
  return pool.slice(0, answers);
}
