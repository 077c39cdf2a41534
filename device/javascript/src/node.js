import { webcrypto } from "node:crypto";

/**
 * `@harmony-ldp/device/node`: the SDK with the store that Node has.
 */
export * from "./index.js";
export { DirectoryStore } from "./stores/directory.js";

// Node 18 has it, but not under the name that every other platform gives it.
globalThis.crypto ??= /** @type {Crypto} */ (webcrypto);
