import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../src/memory.js";
import { mustAgree, RECORD, started, SURVEY, VALUES } from "./support/devices.mjs";
import { Device } from "./support/sdk.mjs";

/** A store that fails from the nth change on, as a full or a denied one does. */
class FailingStore extends MemoryStore {
  constructor(name, changes = 0, looks = Infinity) {
    super();
    Object.assign(this, { name, changes, looks });
  }

  async change(action) {
    if (this.changes-- <= 0) throw new DOMException("from the browser", this.name);
    return super.change(action);
  }

  async look(action) {
    if (this.looks-- <= 0) throw new DOMException("from the browser", this.name);
    return super.look(action);
  }
}

test("a store that fails at any point: a defined visit, no report without a charge", async (test) => {
  const { server, device } = await started(test, SURVEY);
  let isWhole = false;
  for (let changes = 0; !isWhole && changes < 40; changes++) {
    server.seen = [];
    const store = new FailingStore("QuotaExceededError", changes);
    const visit = await device(store).answer(VALUES);
    isWhole = visit.trouble === null;
    assert.ok(isWhole || visit.trouble === "QuotaExceededError", visit.trouble);
    store.changes = Infinity;
    await mustAgree(server, store);
    await device(store).answer(VALUES);
    await mustAgree(server, store);
  }
  assert.ok(isWhole);
});

test("storage that is denied: nothing is sent, nothing thrown", async (test) => {
  const { server, device } = await started(test, SURVEY);
  for (const name of ["SecurityError", "InvalidStateError"]) {
    const one = device(new FailingStore(name, 0, 0));
    const visit = await one.answer(VALUES);
    assert.deepEqual([visit.trouble, visit.waiting, visit.nextAttempt], [name, 0, null]);
    assert.deepEqual((await one.send()).trouble, name);
    assert.deepEqual(await one.status(), { trouble: name });
    await assert.rejects(one.ledger(), { name });
    await assert.rejects(one.forget(), { name });
  }
  assert.equal(server.requests.length, 0);
});

test("without IndexedDB and without a store: trouble, not an exception", async () => {
  const one = new Device("https://unused.example", { record: RECORD, consent: true, epsilonLimit: 1 });
  assert.match((await one.answer(VALUES)).trouble, /IndexedDB/);
});

test("storage that is cleared in mid-visit is noticed before anything is spent", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const store = new MemoryStore();
  server.rules["GET /v1/surveys/paper"] = async (response) => {
    await store.change((files) => files.clear());
    response.end(server.documents.get("paper"));
  };
  const visit = await device(store).answer(VALUES);
  assert.equal(visit.trouble, "storage was cleared");
  assert.deepEqual(await device(store).ledger(), []);
  assert.equal(server.seen.length, 0);
});

test("forgetting in mid-visit stops it", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const store = new MemoryStore();
  server.rules["GET /v1/surveys/paper"] = async (response) => {
    await device(store).forget();
    response.end(server.documents.get("paper"));
  };
  assert.equal((await device(store).answer(VALUES)).trouble, "consent is not given");
  assert.equal(server.seen.length, 0);
});
