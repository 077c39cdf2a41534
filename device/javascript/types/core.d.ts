export { readTable } from "./tables.js";
export { floorOfExp, keeps } from "./proof.js";
export { ask, randomise } from "./report.js";
