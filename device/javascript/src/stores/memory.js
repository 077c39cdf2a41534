import { Files } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/**
 * A store that lasts as long as its object: for tests.
 *
 * @implements {Store}
 */
export class MemoryStore {
  #files = new Files();

  /** @template T @param {(files: Files) => T} action */
  async change(action) {
    const staged = new Files(this.#files);
    const result = action(staged);
    this.#files = staged;
    return result;
  }

  /** @template T @param {(files: Files) => T} action */
  async look(action) {
    return action(new Files(this.#files));
  }

  /** @template T @param {() => Promise<T>} action */
  async alone(action) {
    return action();
  }
}
