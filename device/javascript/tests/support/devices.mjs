import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "../../src/memory.js";
import { DirectoryStore } from "../../src/node.js";
import { FaultServer } from "./fault_server.mjs";
import { Device } from "./sdk.mjs";
import { vectorFiles } from "./vector_files.mjs";

export const SURVEY = vectorFiles.reports.surveys.paper;
export const STEP = vectorFiles.steps.step;
export const TIERED = vectorFiles.reports.surveys.tiers;

export const RECORD = { battery: Number, theme: String, wifi: Boolean, city: String, age: Number, charging: Boolean, plan: String };
export const VALUES = { battery: 71, theme: "dark", wifi: true, city: "city 3", age: 40, charging: false, plan: "a" };

/** Each kind of store that Node has: a function that makes one, for a test to share or to keep. */
export const STORES = {
  memory: () => new MemoryStore(),
  directory: (test) => new DirectoryStore(folder(test)),
};

/** A folder that is removed when the test ends. */
export function folder(test) {
  const path = mkdtempSync(join(tmpdir(), "harmony-js-"));
  test.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A server that ends with the test, and what makes devices of it. */
export async function started(test, ...documents) {
  const server = new FaultServer(...documents);
  const address = await server.start();
  test.after(() => server.stop());
  const device = (store, options) => new Device(address, { record: RECORD, consent: true, epsilonLimit: 20, store, ...options });
  return { server, address, device };
}

/** Set the clock that devices read, in milliseconds, until the test ends. */
export function setClock(test, now) {
  test.mock.method(Date, "now", () => now());
}

/** The reports and the ledger of a device must agree: one report a round at most, none without a charge. */
export async function mustAgree(server, store) {
  const charged = await new Device("https://unused.example", { record: RECORD, consent: true, epsilonLimit: 0, store }).ledger();
  const rounds = charged.map(({ survey, round }) => `${survey} ${round}`);
  assert.equal(new Set(rounds).size, rounds.length);
  const sent = new Map();
  for (const { survey, round, report } of server.seen) {
    const name = `${survey} ${round}`;
    assert.ok(rounds.includes(name), "a report without a charge");
    assert.equal(sent.get(name) ?? report, report, "two reports for a round");
    sent.set(name, report);
  }
}
