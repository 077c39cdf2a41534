import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DeviceError } from "../errors.js";
import { random, toHex } from "../words.js";

/**
 * A lock among processes that is free again when its holder dies, without `flock`, which Node does not have.
 *
 * It is a folder, and held while there is a file in it, whose name is the holder's alone. A folder that already has that file is renamed
 * to the lock's place, which only succeeds if nothing, or an empty folder, is there. Whoever finds a dead holder removes exactly that
 * holder's file: however many do so at once, nobody ever removes the file of a living one.
 */

/** How many milliseconds to wait for whoever holds a lock: as long as two exchanges with a server may take. */
const PATIENCE = 120_000;

/** What a file of Linux's /proc says, if there is one. @param {() => string} read */
function told(read) {
  try {
    return read();
  } catch {
    return "";
  }
}

/** What a process is doing, and when it started, in ticks since the machine did; "" where that is not told. @param {string | number} pid */
function processOf(pid) {
  const fields = told(() => readFileSync(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1)?.split(" ") ?? [];
  return { state: fields[0] ?? "", start: fields[19] ?? "" };
}

const BOOT = told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")).slice(0, 8);
const NAMESPACE = told(() => readlinkSync("/proc/self/ns/pid")).replace(/\D/g, "");

/** The name of a holder's file: which process it is, and a part that no other has. */
export const newHolder = () => ["holder", process.pid, processOf(process.pid).start, NAMESPACE, BOOT, toHex(random(8))].join("-");

/**
 * Whether the process that wrote a holder's file is there no more. One of another container, or that the system does not tell of, cannot be
 * known to be dead.
 *
 * @param {string} path
 */
function isDead(path) {
  const [pid, start, namespace, boot] = path.slice(path.lastIndexOf("holder-") + 7).split("-");
  if (boot !== BOOT) return true;
  if (namespace !== NAMESPACE) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
  const there = processOf(pid);
  if (/[XZ]/.test(there.state)) return true; // ended, and nobody has asked how
  return there.start !== "" && start !== "" && there.start !== start; // else its number may be another's by now
}

/** The files in a lock's folder. @param {string} lock */
function holdersOf(lock) {
  try {
    return readdirSync(lock).map((name) => join(lock, name));
  } catch {
    return [];
  }
}

/** Try to take a lock, and return the file that holds it. @param {string} lock @returns {string | undefined} */
function take(lock) {
  const name = newHolder();
  const folder = `${lock}.${name}`;
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, name), "", { mode: 0o600 });
  try {
    renameSync(folder, lock);
    return join(lock, name);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!["ENOTEMPTY", "EEXIST", "EPERM", "EACCES"].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? "")) throw error;
  }
}

/** Remove what processes left that died before they could take a lock. @param {string} lock */
function removeUnfinished(lock) {
  for (const path of holdersOf(dirname(lock))) {
    if (basename(path).startsWith(`${basename(lock)}.holder-`) && isDead(path)) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Hold a lock while an action runs.
 *
 * @template T
 * @param {string} lock the path of its folder
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T>}
 */
export async function locked(lock, action) {
  const started = performance.now();
  let holder;
  for (let pause = 1; !(holder = take(lock)); pause = Math.min(2 * pause, 50)) {
    const others = holdersOf(lock);
    const dead = others.filter(isDead);
    for (const file of dead) rmSync(file, { force: true });
    if (others.length === dead.length) {
      try {
        rmdirSync(lock); // for systems that do not rename onto an empty folder
      } catch {
        // Somebody holds it again.
      }
      continue;
    }
    if (performance.now() - started > PATIENCE) throw new DeviceError(`${others[0]}: this process holds the lock; end it, or remove the file`);
    await new Promise((resolve) => setTimeout(resolve, pause * Math.random()));
  }
  try {
    removeUnfinished(lock);
    return await action();
  } finally {
    rmSync(holder, { force: true });
  }
}
