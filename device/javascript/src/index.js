/**
 * `@harmony-ldp/device`: answer Harmony surveys without anyone ever seeing the answers.
 */
export { Device } from "./device.js";
export { DeviceError } from "./errors.js";
export { IndexedDbStore } from "./stores/indexeddb.js";
