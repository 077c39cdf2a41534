/** @typedef {import("./store.js").Store} Store */
/**
 * A store in the browser's IndexedDB, shared by all tabs and workers of an origin.
 *
 * A change is one transaction, which the browser runs alone; it is on disk when the promise is fulfilled (`durability: "strict"`).
 * All files are one record, a Map: they are small, and few. The database is opened for each: what a user clears, or denies, in the middle of a visit is noticed and not worked around.
 *
 * @implements {Store}
 */
export class IndexedDbStore implements Store {
    /** @param {string} [name] the database's */
    constructor(name?: string);
    name: string;
    /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
    change<T>(action: (files: Files) => T): Promise<T>;
    /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
    look<T>(action: (files: Files) => T): Promise<T>;
    /** @template T @param {() => Promise<T>} action @returns {Promise<T>} */
    alone<T>(action: () => Promise<T>): Promise<T>;
    #private;
}
export type Store = import("./store.js").Store;
import { Files } from "./store.js";
