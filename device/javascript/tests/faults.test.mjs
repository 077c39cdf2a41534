import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../src/memory.js";
import { mustAgree, setClock, started, STEP, SURVEY, VALUES } from "./support/devices.mjs";
import { vectorFiles } from "./support/vector_files.mjs";

const DAY = 86400e3;

test("offline for a round: the next visit goes on", async (test) => {
  const { server, address, device } = await started(test, SURVEY);
  const store = new MemoryStore();
  let isOnline = false;
  const fetch = (...request) => (isOnline ? globalThis.fetch(...request) : Promise.reject(new TypeError("offline")));
  const one = device(store, { fetch });
  const visit = await one.answer(VALUES);
  assert.match(visit.trouble, /no answer to POST devices/);
  assert.ok(visit.nextAttempt > 0);
  server.openRound("paper", "2");
  isOnline = true;
  setClock(test, () => new Date().getTime() + DAY);
  assert.deepEqual((await one.answer(VALUES)).accepted, [{ survey: "paper", round: "2" }]);
  assert.ok(address);
});

test("every refused document is skipped, and other surveys are answered", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const refused = vectorFiles.refused.refused.filter(({ survey }) => survey.name === "small"); // not those that are refused for their name
  for (const { why, survey } of refused) {
    const name = "hostile";
    server.documents.set(name, JSON.stringify({ ...survey, name }));
    server.rounds.set(name, { label: "1", seed: "0".repeat(32) });
    const epsilon = Number.isFinite(survey.epsilon) ? survey.epsilon : 1;
    const list = { protocol: 1, surveys: [{ ...server.listed("paper") }, { name, fingerprint: server.fingerprint(name), epsilon, round: server.rounds.get(name) }] };
    server.rules["GET /v1/surveys"] = { status: 200, body: JSON.stringify(list) };
    const visit = await device(new MemoryStore()).answer(VALUES);
    assert.deepEqual([visit.trouble, visit.accepted], [null, [{ survey: "paper", round: "1" }]], why);
    assert.match(visit.skipped[name] ?? "answered", /^refused: /, why);
  }
  assert.ok(refused.length > 80);
});

test("a document of another fingerprint, name or epsilon, or none at all", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const listed = server.listed("paper");
  const visitTo = (changed) => {
    server.rules["GET /v1/surveys"] = { status: 200, body: JSON.stringify({ surveys: [{ ...listed, ...changed }] }) };
    return device(new MemoryStore()).answer(VALUES);
  };
  assert.deepEqual((await visitTo({ fingerprint: "0".repeat(64) })).skipped, { paper: "refused: fingerprint" });
  assert.deepEqual((await visitTo({ epsilon: 0.5 })).skipped, { paper: "refused: the listed epsilon" });
  server.documents.set("other", server.documents.get("paper"));
  assert.deepEqual((await visitTo({ name: "other" })).skipped, { other: "refused: the listed name" });
  assert.deepEqual((await visitTo({ name: "nowhere" })).skipped, { nowhere: "refused: no document" });
  assert.equal(server.seen.length, 0);
});

test("a step that is refused is left alone for a day", async (test) => {
  const { server, device } = await started(test);
  server.train(STEP);
  server.tasks.set("charging", { ...STEP, derive: {} });
  const one = device(new MemoryStore());
  assert.match((await one.answer(VALUES)).skipped.charging, /^refused: /);
  const again = await one.answer(VALUES);
  assert.match(again.skipped.charging, /no task for 86/);
  assert.equal(server.count("GET /v1/trainings/charging/task"), 1);
});

const body = (text) => ({ status: 200, body: text });
const HOSTILE = {
  "no JSON": body("<html>"),
  "nothing": body(""),
  "a list of something else": body("[]"),
  "null": body("null"),
  "no surveys": body("{}"),
  "another protocol": body('{"protocol": 2, "surveys": []}'),
  "a number of a million digits": body(`{"surveys": [${"9".repeat(1e6)}]}`),
  "a deep nest": body("[".repeat(60000) + "]".repeat(60000)),
  "not UTF-8": body(Buffer.from([0x7b, 0xff, 0x7d])),
  "a redirect": { status: 307, headers: { Location: "http://127.0.0.1:9/elsewhere" } },
  "an empty answer": 204,
  "an unknown status": 599,
  "a hangup": "lost request",
  "half a body": (response) => {
    response.writeHead(200, { "Content-Length": "1000" });
    response.write("{");
    setTimeout(() => response.destroy(), 20);
  },
  "an endless body": (response) => {
    const chunk = Buffer.alloc(65536, 32);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    response.writeHead(200);
    more();
  },
};

for (const [what, fault] of Object.entries(HOSTILE)) {
  for (const request of ["POST /v1/devices", "GET /v1/surveys", "GET /v1/surveys/paper", "POST /v1/surveys/paper/reports"]) {
    test(`${request} answers with ${what}`, async (test) => {
      const { server, device } = await started(test, SURVEY);
      const store = new MemoryStore();
      server.rules[request] = fault;
      const visit = await device(store).answer(VALUES);
      const isTaken = visit.accepted.length === 1; // any 200 acknowledges a report
      assert.ok(visit.trouble || visit.skipped.paper || isTaken, JSON.stringify(visit));
      if (visit.trouble) assert.ok(visit.nextAttempt > 0.9 && visit.nextAttempt <= 2);
      await mustAgree(server, store);
      server.rules = {};
      setClock(test, () => new Date().getTime() + DAY);
      const later = await device(store).answer(VALUES);
      assert.equal(later.trouble, null);
      assert.equal((await device(store).ledger())[0].state, "accepted");
      await mustAgree(server, store);
    });
  }
}

test("an answer that never ends is given up after a minute", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const asked = hasten(test);
  server.rules["GET /v1/surveys"] = (response) => response.writeHead(200).write("{");
  const visit = await device(new MemoryStore()).answer(VALUES);
  assert.match(visit.trouble, /no answer to GET surveys: TimeoutError/);
  assert.deepEqual([...new Set(asked)], [60000]);
});

test("a fetch that does not heed its abort is given up, too", async (test) => {
  const { device } = await started(test, SURVEY);
  const asked = hasten(test);
  const deaf = device(new MemoryStore(), { fetch: () => new Promise(() => {}) });
  const visit = await deaf.answer(VALUES);
  assert.match(visit.trouble, /no answer to .*: TimeoutError/);
  assert.deepEqual([...new Set(asked)], [60000]);
});

/** Let a minute pass in 50 milliseconds; return what was waited for. */
function hasten(test) {
  const asked = [];
  const { setTimeout } = globalThis;
  test.mock.method(globalThis, "setTimeout", (run, milliseconds, ...more) => {
    if (milliseconds < 60000) return setTimeout(run, milliseconds, ...more);
    asked.push(milliseconds);
    return setTimeout(run, 50, ...more);
  });
  return asked;
}

test("identities that could break out of a header, or are none", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const good = { device: "0".repeat(32), credential: "secret" };
  for (const bad of [{}, [], { ...good, device: "0" }, { ...good, device: 7 }, { ...good, credential: "a\r\nb" }, { ...good, credential: "a b" }, { ...good, credential: "a".repeat(1001) }, { ...good, credential: "é" }]) {
    server.rules["POST /v1/devices"] = { status: 201, body: JSON.stringify(bad) };
    const visit = await device(new MemoryStore()).answer(VALUES);
    assert.equal(visit.trouble, "refused: device or credential");
  }
});

test("pauses double up to an hour, and are at least what the server asks for, at most a day", async (test) => {
  const { server, device } = await started(test, SURVEY);
  let now = 1.8e12;
  setClock(test, () => now);
  const one = device(new MemoryStore());
  server.rules["POST /v1/devices"] = 503;
  for (let failures = 1; failures <= 14; failures++) {
    const { nextAttempt } = await one.answer(VALUES);
    const longest = Math.min(3600, 2 ** failures);
    assert.ok(nextAttempt >= longest / 2 && nextAttempt <= longest, `${nextAttempt}`);
    now += nextAttempt * 1000 + 1;
  }
  for (const [asked, pause] of [["7200", 7200], ["999999999", 86400]]) {
    server.rules["POST /v1/devices"] = { status: 429, headers: { "Retry-After": asked } };
    const { nextAttempt } = await one.answer(VALUES);
    assert.equal(nextAttempt, pause);
    now += pause * 1000 + 1;
  }
});

test("clocks: set back or forward, nothing is freed, and pauses do not grow", async (test) => {
  const { server, device } = await started(test, SURVEY);
  let now = 1.8e12;
  setClock(test, () => now);
  const one = device(new MemoryStore(), { epsilonLimit: { perReport: 1, per30Days: 1 } });
  const isAnswered = async (label) => {
    server.openRound("paper", label);
    const visit = await one.answer(VALUES);
    assert.equal(visit.trouble, null);
    return visit.answered.length === 1;
  };
  assert.ok(await isAnswered("1"));
  now -= 400 * DAY;
  assert.ok(!(await isAnswered("2")), "set back");
  now += 29 * DAY;
  assert.ok(!(await isAnswered("3")), "the clock line counts for 30 days");
  now += 2 * DAY;
  assert.ok(await isAnswered("4"));
  now += 31 * DAY;
  assert.ok(await isAnswered("5"));
  server.rules["GET /v1/surveys"] = 503;
  const { nextAttempt } = await one.answer(VALUES);
  now -= 1000 * DAY;
  assert.ok((await one.answer(VALUES)).nextAttempt <= nextAttempt);
  for (const wrong of [8.64e15, -8.64e15, NaN, 0]) {
    now = wrong;
    const visit = await one.answer(VALUES);
    assert.ok(visit.trouble || visit.skipped.paper, `${wrong}`);
  }
});

test("a damaged ledger: nothing more is answered, and what waits is still sent", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const store = new MemoryStore();
  await device(store).answer(VALUES);
  await store.change((files) => files.set("ledger.jsonl", "{}\n"));
  server.openRound("paper", "2");
  const visit = await device(store).answer(VALUES);
  assert.match(visit.trouble, /ledger/);
  await assert.rejects(device(store).ledger(), /ledger/);
  assert.match((await device(store).status()).trouble, /ledger/);
  assert.equal(server.seen.length, 1);
});

test("reports that the server will never take are dropped", async (test) => {
  for (const [status, why] of Object.entries({ 403: "forbidden", 409: "conflict", 410: "closed", 413: "too-large", 422: "malformed" })) {
    const { server, device } = await started(test, SURVEY);
    server.rules["POST /v1/surveys/paper/reports"] = Number(status);
    const one = device(new MemoryStore());
    const visit = await one.answer(VALUES);
    assert.deepEqual([visit.trouble, visit.waiting, visit.dropped], [null, 0, [{ survey: "paper", round: "1", why }]]);
    assert.equal((await one.ledger())[0].state, `dropped: ${why}`);
    assert.deepEqual((await one.answer(VALUES)).answered, []);
  }
});

test("a report that is 90 days old, or whose identity is lost, is dropped", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const ages = { "too old": async () => setClock(test, () => new Date().getTime() + 91 * DAY), "its identity is lost": (store) => store.change((files) => files.delete("identity.json")) };
  for (const [why, happen] of Object.entries(ages).reverse()) {
    const store = new MemoryStore();
    server.rules["POST /v1/surveys/paper/reports"] = 404;
    const visit = await device(store).answer(VALUES);
    assert.deepEqual([visit.waiting, visit.nextAttempt], [1, null]);
    server.rules = {};
    await happen(store);
    assert.deepEqual((await device(store).send()).dropped, [{ survey: "paper", round: "1", why }]);
  }
});
