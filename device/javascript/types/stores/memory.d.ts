/** @typedef {import("./store.js").Store} Store */
/**
 * A store that lasts as long as its object: for tests.
 *
 * @implements {Store}
 */
export class MemoryStore implements Store {
    /** @template T @param {(files: Files) => T} action */
    change<T>(action: (files: Files) => T): Promise<T>;
    /** @template T @param {(files: Files) => T} action */
    look<T>(action: (files: Files) => T): Promise<T>;
    /** @template T @param {() => Promise<T>} action */
    alone<T>(action: () => Promise<T>): Promise<T>;
    #private;
}
export type Store = import("./store.js").Store;
import { Files } from "./store.js";
