/**
 * A store in a directory, with the same files as the Python SDK's, readable by their owner alone. Processes may share it.
 *
 * @implements {Store}
 */
export class DirectoryStore implements Store {
    /** @param {string} directory which is created when there is something to keep */
    constructor(directory: string);
    /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
    change<T>(action: (files: Files) => T): Promise<T>;
    /**
     * Without the lock: whoever is changing files replaces each as a whole, and adds to the ledger, whose unfinished line does not count.
     *
     * @template T @param {(files: Files) => T} action @returns {Promise<T>}
     */
    look<T>(action: (files: Files) => T): Promise<T>;
    /** @template T @param {() => Promise<T>} action @returns {Promise<T>} */
    alone<T>(action: () => Promise<T>): Promise<T>;
    #private;
}
export type Store = import("./store.js").Store;
import { Files } from "./store.js";
