import { DeviceError, must } from "../errors.js";
import { Files } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/**
 * A store in the browser's IndexedDB, shared by all tabs and workers of an origin.
 *
 * A change is one transaction, which the browser runs alone; it is on disk when the promise is fulfilled (`durability: "strict"`).
 * All files are one record, a Map: they are small, and few. The database is opened for each: what a user clears, or denies, in the middle of a visit is noticed and not worked around.
 *
 * @implements {Store}
 */
export class IndexedDbStore {
  /** @param {string} [name] the database's */
  constructor(name = "harmony") {
    this.name = name;
  }

  /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
  change(action) {
    return this.#transact("readwrite", action);
  }

  /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
  look(action) {
    return this.#transact("readonly", action);
  }

  /** @template T @param {() => Promise<T>} action @returns {Promise<T>} */
  alone(action) {
    const locks = globalThis.navigator?.locks;
    // Without Web Locks two tabs may enrol at the same time; the change that keeps an identity takes the first one.
    return locks ? /** @type {any} */ (locks.request(`harmony ${this.name}`, action)) : action();
  }

  /** @template T @param {IDBTransactionMode} mode @param {(files: Files) => T} action @returns {Promise<T>} */
  async #transact(mode, action) {
    const database = await open(this.name, mode);
    if (!database) return action(new Files());
    try {
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction("files", mode, { durability: "strict" });
        const store = transaction.objectStore("files");
        const kept = store.get("files");
        kept.onsuccess = () => {
          try {
            const files = new Files(kept.result);
            const result = action(files);
            if (mode === "readwrite") store.put(files, "files");
            transaction.oncomplete = () => resolve(result);
          } catch (error) {
            reject(error);
            transaction.abort();
          }
        };
        transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      database.close();
    }
  }
}

/**
 * Open a database; only a change creates one.
 *
 * @param {string} name @param {IDBTransactionMode} mode
 * @returns {Promise<IDBDatabase | undefined>}
 */
const open = (name, mode) =>
  new Promise((resolve, reject) => {
    must(globalThis.indexedDB, "store: no IndexedDB", DeviceError);
    const request = indexedDB.open(name);
    let isMissing = false;
    request.onupgradeneeded = () => {
      isMissing = mode === "readonly";
      if (isMissing) request.transaction?.abort();
      else request.result.createObjectStore("files");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => (isMissing ? resolve(undefined) : reject(request.error));
  });
