/**
 * A store: where a device keeps its files, durably. All stores keep the same ones, which docs/devices.md describes.
 *
 * @typedef {object} Store
 * @property {<T>(action: (files: Files) => T) => Promise<T>} change
 *   Run `action` on all files while nobody else does, in any tab, worker or process. What it changed is durable when the promise
 *   is fulfilled; where the platform has transactions, it is changed as a whole or not at all, and else in the order of the changes.
 * @property {<T>(action: (files: Files) => T) => Promise<T>} look
 *   Run `action`, which changes nothing. Where nothing was ever kept, this leaves nothing behind, either.
 * @property {<T>(action: () => Promise<T>) => Promise<T>} alone
 *   Run `action`, which may speak to a server, while no other tab, worker or process does the same.
 */

/**
 * Text files by name, within one transaction.
 *
 * @extends {Map<string, string>}
 */
export class Files extends Map {
  /** Keep an object as JSON. @param {string} name @param {object} value */
  put(name, value) {
    this.set(name, JSON.stringify(value));
  }

  /**
   * Add an object as a line of JSON, first cutting off the unfinished line that a crash may have left.
   *
   * @param {string} name @param {object} value
   */
  append(name, value) {
    const text = this.get(name) ?? "";
    this.set(name, `${text.slice(0, text.lastIndexOf("\n") + 1)}${JSON.stringify(value)}\n`);
  }
}

/** The names of files that start so. @param {Files} files @param {string} prefix */
export const namesOf = (files, prefix) => [...files.keys()].filter((name) => name.startsWith(prefix));

/** How many bytes the files take that start so. @param {Files} files @param {string} prefix */
export const bytesOf = (files, prefix) => namesOf(files, prefix).reduce((sum, name) => sum + (files.get(name) ?? "").length, 0);

/** Remove the files that start so, unless they end in what is to be kept. @param {Files} files @param {string} prefix @param {string[]} [kept] */
export function keepOnly(files, prefix, kept = []) {
  for (const name of namesOf(files, prefix)) if (!kept.includes(name.slice(prefix.length))) files.delete(name);
}

/** What a file of JSON says; an empty object where there is none that can be read. @param {Files} files @param {string} name @returns {any} */
export function readJson(files, name) {
  try {
    return JSON.parse(files.get(name) ?? "") ?? {};
  } catch {
    return {};
  }
}
