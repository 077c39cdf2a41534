export { MemoryStore } from "./stores/memory.js";
