import { Device as SurveyDevice } from "./device.js";
import { takePart } from "./trainings.js";

/**
 * `@harmony-ldp/device`: answer Harmony surveys, and take part in trainings, without anyone ever seeing the answers.
 */
export { DeviceError } from "./errors.js";
export { IndexedDbStore } from "./stores/indexeddb.js";

/** One participant, whose whole state is in its store. Several tabs, workers or processes may share a store. */
export class Device extends SurveyDevice {
  /** @param {string} server @param {import("./device.js").Options} options */
  constructor(server, options) {
    super(server, { takePart, ...options });
  }
}
