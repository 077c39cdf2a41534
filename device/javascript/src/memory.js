/**
 * `@harmony-ldp/device/memory`: the store for tests.
 */
export { MemoryStore } from "./stores/memory.js";
