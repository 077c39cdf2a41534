import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DirectoryStore } from "../src/node.js";
import { locked, newHolder } from "../src/stores/directory_lock.js";
import { folder, started, SURVEY, VALUES } from "./support/devices.mjs";

const reportFile = (survey, round) => createHash("sha256").update(`${survey}\n${round}`).digest("hex").slice(0, 32) + ".json";

/** A device whose first report waits in its directory. */
async function waiting(test) {
  const { server, device } = await started(test, SURVEY);
  const directory = join(folder(test), "deep", "harmony");
  const one = device(new DirectoryStore(directory));
  server.rules["POST /v1/surveys/paper/reports"] = 404;
  assert.equal((await one.answer(VALUES)).waiting, 1);
  server.rules = {};
  return { server, directory, one };
}

test("the files are those of the Python SDK, their owner's alone", async (test) => {
  const { server, directory } = await waiting(test);
  assert.deepEqual(readdirSync(directory).filter((name) => !name.endsWith(".node")).sort(), ["identity.json", "ledger.jsonl", "outbox", "surveys"]);
  assert.deepEqual(readdirSync(join(directory, "surveys")), [server.fingerprint("paper")]);
  assert.deepEqual(readdirSync(join(directory, "outbox")), [reportFile("paper", "1")]);
  const line = JSON.parse(readFileSync(join(directory, "ledger.jsonl"), "utf8"));
  assert.deepEqual(Object.keys(line), ["at", "event", "survey", "round", "epsilon", "asked"]);
  for (const [path, mode] of [["", 0o700], ["outbox", 0o700], ["ledger.jsonl", 0o600], ["identity.json", 0o600], [join("outbox", reportFile("paper", "1")), 0o600]]) {
    assert.equal(statSync(join(directory, path)).mode & 0o777, mode, path);
  }
});

test("looking leaves nothing behind", async (test) => {
  const { device } = await started(test, SURVEY);
  const directory = join(folder(test), "harmony");
  const one = device(new DirectoryStore(directory), { consent: false });
  await one.answer(VALUES);
  assert.deepEqual(await one.ledger(), []);
  assert.equal((await one.status()).roundsAnswered, 0);
  assert.ok(!existsSync(directory));
});

test("a ledger line that a crash cut off is cut off, and nothing else is rewritten", async (test) => {
  const { directory, one } = await waiting(test);
  const ledger = join(directory, "ledger.jsonl");
  const before = readFileSync(ledger, "utf8");
  appendFileSync(ledger, '{"at": "2026-11-16T12:00:00Z", "event": "answ');
  assert.equal((await one.send()).accepted.length, 1);
  const after = readFileSync(ledger, "utf8");
  assert.ok(after.startsWith(before));
  assert.deepEqual(after.trim().split("\n").map((line) => JSON.parse(line).event), ["answered", "accepted"]);
});

test("a damaged report is dropped, with its round in the ledger", async (test) => {
  const { server, directory, one } = await waiting(test);
  writeFileSync(join(directory, "outbox", reportFile("paper", "1")), "{");
  assert.deepEqual((await one.send()).dropped, [{ survey: "paper", round: "1", why: "damaged on disk" }]);
  assert.equal((await one.ledger())[0].state, "dropped: damaged on disk");
  assert.equal(server.seen.length, 1);
  assert.deepEqual((await one.answer(VALUES)).answered, []);
});

test("what a crash left half written in the outbox is never sent, and goes", async (test) => {
  const { server, directory, one } = await waiting(test);
  for (const name of ["0".repeat(32) + ".json", reportFile("paper", "9") + ".new"]) writeFileSync(join(directory, "outbox", name), '{"survey": "paper", "round": "9"}');
  assert.equal((await one.send()).accepted.length, 1);
  assert.deepEqual(server.seen.map(({ round }) => round), ["1", "1"]);
  assert.deepEqual(readdirSync(join(directory, "outbox")), []);
  assert.equal((await one.ledger()).length, 1);
});

test("a damaged identity counts as none, a damaged withdrawal as withdrawn", async (test) => {
  const { server, directory, one } = await waiting(test);
  writeFileSync(join(directory, "identity.json"), "{");
  assert.deepEqual((await one.send()).dropped, [{ survey: "paper", round: "1", why: "its identity is lost" }]);
  assert.equal(server.enrolments, 2);
  writeFileSync(join(directory, "withdrawal.json"), "{");
  assert.equal((await one.answer(VALUES)).trouble, "consent is not given");
  assert.equal(server.devices.size, 1);
});

test("a directory that cannot be written: trouble, and nothing is sent", { skip: process.getuid?.() === 0 && "root may write anywhere" }, async (test) => {
  const { server, device } = await started(test, SURVEY);
  const directory = folder(test);
  chmodSync(directory, 0o500);
  assert.ok((await device(new DirectoryStore(directory)).answer(VALUES)).trouble);
  assert.equal(server.requests.length, 0);
});

test("a path that is a file: trouble, and nothing is sent", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const file = join(folder(test), "file");
  writeFileSync(file, "");
  const one = device(new DirectoryStore(file));
  assert.ok((await one.answer(VALUES)).trouble);
  assert.ok((await one.status()).trouble);
  assert.equal(server.requests.length, 0);
});

test("a lock excludes, and is free again when its holder is dead", async (test) => {
  const lock = join(folder(test), "lock.node");
  let inside = 0;
  const enter = () =>
    locked(lock, async () => {
      assert.equal(++inside, 1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inside--;
    });
  await Promise.all(Array.from({ length: 8 }, enter));
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const [, , start, namespace, boot] = newHolder().split("-");
  writeFileSync(join(lock, `holder-${pid}-${start}-${namespace}-${boot}-0`), "");
  mkdirSync(`${lock}.holder-${pid}-${start}-${namespace}-${boot}-1`);
  await enter();
  // The number of a dead process may be that of a living one, since the machine was started again or without that.
  for (const holder of [`${process.pid}-${start}-${namespace}-0-2`, ...(start ? [`${process.pid}-1-${namespace}-${boot}-3`] : [])]) {
    writeFileSync(join(lock, `holder-${holder}`), "");
    await enter();
  }
  assert.deepEqual(readdirSync(join(lock, "..")), ["lock.node"]);
  assert.deepEqual(readdirSync(lock), []);
});

test("a lock is free again when its holder ended, though nobody asked how", { skip: !existsSync("/proc/self/stat") && "no /proc" }, async (test) => {
  const lock = join(folder(test), "lock.node");
  mkdirSync(lock);
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
  test.after(() => parent.kill());
  const pid = await new Promise((resolve) => parent.stdout.once("data", (data) => resolve(Number(data))));
  const until = async (condition) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  // A shell would ask how its child ended; what takes its place does not.
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
  process.kill(pid);
  const stat = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  await until(() => stat()[0] === "Z");
  const [, , , namespace, boot] = newHolder().split("-");
  writeFileSync(join(lock, `holder-${pid}-${stat()[19]}-${namespace}-${boot}-0`), "");
  assert.equal(await locked(lock, () => "entered"), "entered");
});

for (const untold of [false, true]) {
  test(`a lock that a living process keeps is an error in the end${untold ? ", also if its start is not known" : ""}`, async (test) => {
    const lock = join(folder(test), "lock.node");
    mkdirSync(lock);
    const [word, pid, start, ...rest] = newHolder().split("-");
    writeFileSync(join(lock, [word, pid, untold ? "" : start, ...rest].join("-")), "");
    const { now } = performance;
    test.mock.method(performance, "now", () => now.call(performance) * 1e6);
    await assert.rejects(locked(lock, () => assert.fail("entered")), /holds the lock/);
  });
}
