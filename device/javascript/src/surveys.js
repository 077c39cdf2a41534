/**
 * `@harmony-ldp/device/surveys`: the SDK without trainings, for pages that count bytes.
 */
export { Device } from "./device.js";
export { DeviceError } from "./errors.js";
export { IndexedDbStore } from "./stores/indexeddb.js";
