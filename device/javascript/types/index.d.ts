export { Device } from "./device.js";
export { DeviceError } from "./errors.js";
export { IndexedDbStore } from "./stores/indexeddb.js";
