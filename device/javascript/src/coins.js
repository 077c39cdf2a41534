import { siphash } from "./siphash.js";
import { below, view } from "./words.js";

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
  /** @type {[number, number]} */
  let word;
  return (n) => {
    if (!(drawn & 1)) {
      view(message).setUint32(16, drawn / 2, true);
      word = siphash(seed, message);
    }
    return below(word[drawn++ & 1], n);
  };
}

/**
 * The attributes that a device is asked, drawn without replacement in proportion to their weights.
 *
 * The weights of the places that are still to be drawn from stand in a Fenwick tree, so that thousands of answers
 * take thousands of logarithms and not their square.
 *
 * @param {(n: number) => number} draw
 * @param {number[]} weights
 * @param {number} answers
 * @returns {number[]}
 */
export function assign(draw, weights, answers) {
  const size = weights.length;
  const pool = weights.map((_, i) => i);
  const tree = new Float64Array(size + 1);
  const add = (/** @type {number} */ place, /** @type {number} */ weight) => {
    for (let at = place + 1; at <= size; at += at & -at) tree[at] += weight;
  };
  let left = 0;
  weights.forEach((weight, place) => {
    add(place, weight);
    left += weight;
  });
  for (let i = 0; i < answers; i++) {
    let rest = draw(left);
    let j = 0;
    for (let step = 1 << 13; step; step >>= 1) {
      if (j + step <= size && tree[j + step] <= rest) rest -= tree[(j += step)];
    }
    const first = pool[i];
    const chosen = pool[j];
    add(i, -weights[first]);
    if (j > i) add(j, weights[first] - weights[chosen]);
    pool[i] = chosen;
    pool[j] = first;
    left -= weights[chosen];
  }
  return pool.slice(0, answers);
}
