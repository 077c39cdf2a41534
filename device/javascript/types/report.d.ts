/**
 * @typedef {(bytes: number) => Uint8Array} Random so many bytes of the platform's CSPRNG
 */
/**
 * What a device is asked in a round: attributes by their place in the survey, each with a row of its code.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {number} tier
 * @param {Uint8Array} seed
 * @param {Uint8Array} device
 * @returns {[number, number][]}
 */
export function ask({ coins, answers, mechanisms }: import("./survey.js").Survey, tier: number, seed: Uint8Array, device: Uint8Array): [number, number][];
/**
 * The randomised report of a device.
 *
 * The random bytes are read whatever the attribute and the answer. Of a signed attribute without an answer, the second half of the draws are the
 * negative levels, which start at the sign's own number.
 *
 * @param {import("./survey.js").Survey} survey
 * @param {Uint8Array} device its id
 * @param {number} tier
 * @param {(number | undefined)[]} answers the answer of each attribute, undefined to draw one
 * @param {[number, number][]} asked what `ask` returned
 * @param {Random} random
 * @returns {Uint8Array}
 */
export function randomise(survey: import("./survey.js").Survey, device: Uint8Array, tier: number, answers: (number | undefined)[], asked: [number, number][], random: Random): Uint8Array;
export function reportBytes({ answers, width }: import("./survey.js").Survey): number;
/**
 * so many bytes of the platform's CSPRNG
 */
export type Random = (bytes: number) => Uint8Array;
