/**
 * The core: coins, codes, tables and the proof of their promise, from answers to the bytes of a report.
 */
export { extremes, floorOfExp, keeps } from "./proof.js";
export { ask, randomise } from "./report.js";
export { readTable } from "./tables.js";
