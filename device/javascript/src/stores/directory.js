import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { MEMOS, SURVEYS } from "../consent.js";
import { LEDGER } from "../ledger.js";
import { fileOf, OUTBOX } from "../outbox.js";
import { locked } from "./directory_lock.js";
import { Files } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/** Folders whose files have their own names. */
const FOLDERS = [SURVEYS, MEMOS];

/**
 * A store in a directory, with the same files as the Python SDK's, readable by their owner alone. Processes may share it.
 *
 * @implements {Store}
 */
export class DirectoryStore {
  #directory;

  /** @param {string} directory which is created when there is something to keep */
  constructor(directory) {
    this.#directory = directory;
  }

  /** @template T @param {(files: Files) => T} action @returns {Promise<T>} */
  async change(action) {
    makeDirectory(this.#directory);
    return locked(join(this.#directory, "lock.node"), () => {
      const files = new DirectoryFiles(this.#directory);
      files.removeUnfinished();
      return action(files);
    });
  }

  /**
   * Without the lock: whoever is changing files replaces each as a whole, and adds to the ledger, whose unfinished line does not count.
   *
   * @template T @param {(files: Files) => T} action @returns {Promise<T>}
   */
  async look(action) {
    return action(new DirectoryFiles(this.#directory));
  }

  /** @template T @param {() => Promise<T>} action @returns {Promise<T>} */
  async alone(action) {
    makeDirectory(this.#directory);
    return locked(join(this.#directory, "visit.node"), action);
  }
}

/**
 * The files of a directory. Each change is durable when it returns, and a crash finds all of it or nothing: what happens in a transaction
 * happens in order.
 */
class DirectoryFiles extends Files {
  #directory;

  /** @param {string} directory */
  constructor(directory) {
    super();
    this.#directory = directory;
  }

  /** @param {string} name */
  get(name) {
    try {
      return readFileSync(this.#path(name), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** @param {string} name */
  has(name) {
    return existsSync(this.#path(name));
  }

  get size() {
    return [...this.keys()].length;
  }

  keys() {
    const top = list(this.#directory).filter((name) => !/^(lock|outbox|surveys|memos|(lock|visit)\.node.*)$/.test(name));
    const documents = FOLDERS.flatMap((folder) => list(join(this.#directory, folder)).map((name) => folder + name));
    const reports = list(join(this.#directory, OUTBOX)).flatMap((file) => this.#reportIn(file) ?? []);
    return [...top, ...documents, ...reports].values();
  }

  /** Remove from the outbox what holds no report of any round: a crash left it, and it was never sent. */
  removeUnfinished() {
    for (const file of list(join(this.#directory, OUTBOX))) if (!this.#reportIn(file)) this.delete(OUTBOX + file);
  }

  /** @param {string} name @param {string} content */
  set(name, content) {
    const path = this.#path(name);
    makeDirectory(dirname(path));
    write(`${path}.new`, "w", content);
    renameSync(`${path}.new`, path);
    syncDirectory(path);
    return this;
  }

  /** @param {string} name @param {object} value */
  append(name, value) {
    const path = this.#path(name);
    const before = this.get(name) ?? "";
    const whole = before.slice(0, before.lastIndexOf("\n") + 1);
    const bytes = Buffer.byteLength(whole);
    if (whole !== before) {
      const descriptor = openSync(path, "r+");
      ftruncateSync(descriptor, bytes);
      closeSync(descriptor);
    }
    write(path, "a", JSON.stringify(value) + "\n");
    if (!bytes) syncDirectory(path);
  }

  /** @param {string} name */
  delete(name) {
    const path = this.#path(name);
    if (!existsSync(path)) return false;
    rmSync(path);
    syncDirectory(path);
    return true;
  }

  /** The path of a file: a report's is named by its round's hash. @param {string} name */
  #path(name) {
    const isReport = name.startsWith(OUTBOX) && name.includes("\n");
    return join(this.#directory, isReport ? OUTBOX + hashOf(name) : name);
  }

  /**
   * The name of the report in a file of the outbox, by what is in it; if that is damaged, by the rounds of the ledger.
   *
   * @param {string} file
   */
  #reportIn(file) {
    const isIt = (/** @type {string | undefined} */ name) => name && hashOf(name) === file;
    const name = nameIn(this.get(OUTBOX + file) ?? "");
    return isIt(name) ? name : (this.get(LEDGER) ?? "").split("\n").map(nameIn).find(isIt);
  }
}

/** The name of the report that some JSON is about. @param {string} json */
function nameIn(json) {
  try {
    const { survey, round } = JSON.parse(json);
    return fileOf(survey, round);
  } catch {
    return undefined;
  }
}

/** The file of a report, as the Python SDK names it. @param {string} name */
const hashOf = (name) => createHash("sha256").update(name.slice(OUTBOX.length)).digest("hex").slice(0, 32) + ".json";

/** @param {unknown} error */
const isMissing = (error) => /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT";

/** Make a directory that only its owner may enter, and its parents. @param {string} path */
const makeDirectory = (path) => mkdirSync(path, { recursive: true, mode: 0o700 });

/** The names in a folder; none if it is not there. @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Write to a file, durably. @param {string} path @param {string} flags @param {string} text */
function write(path, flags, text) {
  const descriptor = openSync(path, flags, 0o600);
  try {
    let left = Buffer.from(text);
    while (left.length) left = left.subarray(writeSync(descriptor, left));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Make a new, replaced or removed name durable, where the system can. @param {string} path */
function syncDirectory(path) {
  if (process.platform === "win32") return;
  const descriptor = openSync(dirname(path), "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
