export * from "./index.js";
export { DirectoryStore } from "./stores/directory.js";
