import assert from "node:assert/strict";
import { test } from "node:test";
import { RECORD, setClock, started, STEP, STORES, SURVEY, TIERED, VALUES } from "./support/devices.mjs";
import { Device } from "./support/sdk.mjs";

const DAY = 86400e3;

for (const [kind, makeStore] of Object.entries(STORES)) {
  test(`a round is answered once (${kind})`, async (test) => {
    const { server, device } = await started(test, SURVEY);
    const one = device(makeStore(test));
    const visit = await one.answer(VALUES);
    assert.equal(visit.trouble, null);
    assert.deepEqual(visit.answered, [{ survey: "paper", round: "1" }]);
    assert.deepEqual(visit.accepted, visit.answered);
    assert.deepEqual((await one.answer(VALUES)).answered, []);
    server.openRound("paper", "2");
    assert.deepEqual((await one.answer(VALUES)).accepted, [{ survey: "paper", round: "2" }]);
    assert.equal(server.seen.length, 2);
    assert.equal(server.count("GET /v1/surveys/paper"), 1);
    assert.deepEqual((await one.ledger()).map(({ round, epsilon, state }) => [round, epsilon, state]), [["1", 1, "accepted"], ["2", 1, "accepted"]]);
    const { spentIn30Days, roundsAnswered, reportsWaiting, trouble } = await one.status();
    assert.deepEqual([spentIn30Days, roundsAnswered, reportsWaiting, trouble], [2, 2, 0, null]);
  });

  test(`devices that share a store are one participant (${kind})`, async (test) => {
    const { server, device } = await started(test, SURVEY);
    server.train(STEP);
    const store = makeStore(test);
    const visits = await Promise.all(Array.from({ length: 6 }, () => device(store).answer(VALUES)));
    assert.deepEqual(visits.map(({ trouble }) => trouble), Array(6).fill(null));
    assert.equal(visits.flatMap(({ answered }) => answered).length, 2);
    assert.equal(new Set(server.seen.map(({ survey, round, report }) => `${survey} ${round} ${report}`)).size, 2);
    assert.equal((await device(store).ledger()).length, 2);
    if (kind === "directory") assert.equal(server.enrolments, 1);
  });

  test(`a training is taken part in once (${kind})`, async (test) => {
    const { server, device } = await started(test);
    server.train(STEP);
    const one = device(makeStore(test));
    assert.deepEqual((await one.answer(VALUES)).accepted, [{ survey: "charging", round: "charging:1" }]);
    server.train({ ...STEP, round: { ...STEP.round, label: "charging:2" } });
    assert.deepEqual((await one.answer(VALUES)).answered, []);
    assert.equal(server.count("GET /v1/trainings/charging/task"), 1);
  });

  test(`what was not acknowledged is sent again, the same bytes (${kind})`, async (test) => {
    const { server, device } = await started(test, SURVEY);
    const store = makeStore(test);
    server.rules["POST /v1/surveys/paper/reports"] = "lost reply";
    const lost = await device(store).answer(VALUES);
    assert.equal(lost.waiting, 1);
    assert.match(lost.trouble, /no answer to POST/);
    assert.ok(lost.nextAttempt > 0.9 && lost.nextAttempt <= 2);
    assert.match((await device(store).send()).trouble, /left alone/);
    server.rules = {};
    setClock(test, () => new Date().getTime() + 10e3);
    const sent = await device(store).send();
    assert.deepEqual([sent.accepted.length, sent.waiting, sent.trouble], [1, 0, null]);
    assert.equal(new Set(server.seen.map(({ report }) => report)).size, 1);
  });

  test(`forgetting deletes all but the ledger, here and at the server (${kind})`, async (test) => {
    const { server, device } = await started(test, SURVEY);
    const store = makeStore(test);
    const one = device(store);
    await one.answer(VALUES);
    assert.equal(await one.forget(), true);
    assert.equal(server.devices.size + server.reports.size, 0);
    assert.deepEqual(await store.look((files) => [...files.keys()].sort()), ["ledger.jsonl", "withdrawal.json"]);
    assert.equal((await one.answer(VALUES)).trouble, "consent is not given");
    assert.equal((await one.status()).withdrawn, true);
    await one.rejoin();
    server.openRound("paper", "2");
    assert.deepEqual((await one.answer(VALUES)).accepted, [{ survey: "paper", round: "2" }]);
    assert.equal(server.enrolments, 2);
    assert.equal((await one.ledger()).length, 2);
  });

  test(`a deletion is asked for until the server confirms it (${kind})`, async (test) => {
    const { server, device } = await started(test, SURVEY);
    const store = makeStore(test);
    await device(store).answer(VALUES);
    server.rules["DELETE /v1/devices/me"] = 503;
    assert.equal(await device(store).forget(), false);
    assert.equal((await device(store).status()).deletionsToConfirm, 1);
    server.rules = {};
    const later = device(store, { consent: false });
    assert.equal((await later.answer(VALUES)).trouble, "consent is not given");
    assert.equal((await later.status()).deletionsToConfirm, 0);
    assert.equal(server.devices.size, 0);
  });
}

test("without consent nothing is sent, and nothing kept", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const store = STORES.memory();
  for (const consent of [false, () => false, async () => false, "yes", () => "yes"]) {
    assert.equal((await device(store, { consent }).answer(VALUES)).trouble, "consent is not given");
  }
  assert.equal(server.requests.length, 0);
  assert.equal(await store.look((files) => files.size), 0);
});

test("consent is asked before every request", async (test) => {
  const { server, device } = await started(test, SURVEY);
  for (let asked = 1; asked < 8; asked++) {
    let left = asked;
    server.requests = [];
    const visit = await device(STORES.memory(), { consent: () => left-- > 0 }).answer(VALUES);
    assert.ok(server.requests.length < asked, `${server.requests}`);
    if (visit.trouble) assert.equal(visit.trouble, "consent is not given");
  }
});

test("consent that the app takes back deletes, and consent that it gives again enrols anew", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const store = STORES.memory();
  let consent = true;
  const one = device(store, { consent: () => consent });
  await one.answer(VALUES);
  consent = false;
  assert.equal((await one.answer(VALUES)).trouble, "consent is not given");
  assert.deepEqual(await store.look((files) => [...files.keys()]), ["ledger.jsonl"]);
  consent = true;
  server.openRound("paper", "2");
  assert.equal((await one.answer(VALUES)).accepted.length, 1);
  assert.equal(server.enrolments, 2);
});

test("limits bound what is spent, and choose the tier", async (test) => {
  const { server, device } = await started(test, TIERED);
  const one = device(STORES.memory(), { epsilonLimit: { perReport: 2, per30Days: 3 } });
  await one.answer(VALUES);
  server.openRound("tiers", "2");
  await one.answer(VALUES);
  server.openRound("tiers", "3");
  await one.answer(VALUES);
  assert.deepEqual((await one.ledger()).map(({ epsilon }) => epsilon), [2, 0.5, 0.5]);
  server.openRound("tiers", "4");
  const visit = await one.answer(VALUES);
  assert.deepEqual([visit.answered, visit.skipped], [[], { tiers: "per30Days: spent" }]);
});

test("a survey that asks for more than the record has is skipped", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const { city, ...record } = RECORD;
  const visit = await device(STORES.memory(), { record }).answer(VALUES);
  assert.match(visit.skipped.paper, /asks for 'city'/);
  assert.equal(server.seen.length, 0);
  assert.ok(visit.warnings.has("city: not in the record"));
});

test("whatever the values are, a report is sent, and the developer is warned", async (test) => {
  const broken = () => {
    throw new Error("private");
  };
  for (const values of [{}, null, { battery: NaN, theme: "unheard-of", wifi: 1 }, broken, { get battery() { return broken(); } }]) {
    const { server, device } = await started(test, SURVEY);
    const visit = await device(STORES.memory()).answer(values);
    assert.deepEqual([visit.trouble, visit.accepted.length, server.seen.length], [null, 1, 1]);
    assert.ok(visit.warnings.size > 0);
    assert.ok(![...visit.warnings].join().includes("private") && ![...visit.warnings].join().includes("unheard-of"));
  }
});

test("what else a step says of its round does not come into the ledger", async (test) => {
  const { server, device } = await started(test);
  const { training, round } = STEP;
  server.train({ format: "harmony-step/1", training, round: { ...round, number: "7" }, survey: SURVEY });
  const one = device(STORES.memory());
  assert.equal((await one.answer(VALUES)).answered.length, 1);
  assert.deepEqual((await one.ledger()).map(({ number }) => number), [undefined]);
  assert.equal((await one.answer(VALUES)).trouble, null);
});

test("parts within parts are refused, however deep", async (test) => {
  const other = { name: "b", kind: "categorical", values: [false, true] };
  let part = other;
  for (let depth = 0; depth < 2000; depth++) part = { name: "a", kind: "crosstab", of: [part, other] };
  const { device } = await started(test, { ...SURVEY, name: "deep", attributes: [{ ...part, coin: 1, mechanisms: [] }] }, SURVEY);
  const visit = await device(STORES.memory()).answer(VALUES);
  assert.deepEqual([visit.trouble, visit.answered.length], [null, 1]);
  assert.match(visit.skipped.deep, /kind/);
});

test("only reviewed documents are answered, and no training", async (test) => {
  const { server, device } = await started(test, SURVEY, TIERED);
  server.train(STEP);
  const visit = await device(STORES.memory(), { surveys: { paper: server.fingerprint("paper"), tiers: "0".repeat(64) } }).answer(VALUES);
  assert.deepEqual(visit.answered, [{ survey: "paper", round: "1" }]);
  assert.deepEqual(visit.skipped, { tiers: "not reviewed", charging: "not reviewed" });
});

test("a training without a task is left alone for as long as the server asks, surveys are not", async (test) => {
  const { server, device } = await started(test, SURVEY);
  server.train(STEP);
  server.rules["GET /v1/trainings/charging/task"] = { status: 204, headers: { "Retry-After": "500" } };
  const one = device(STORES.memory());
  const visit = await one.answer(VALUES);
  assert.deepEqual([visit.accepted.length, visit.trouble, visit.nextAttempt], [1, null, 500]);
  assert.match(visit.skipped.charging, /no task/);
  await one.answer(VALUES);
  assert.equal(server.count("GET /v1/trainings/charging/task"), 1);
});

test("patience waits for further attempts", async (test) => {
  const { server, device } = await started(test, SURVEY);
  server.faults = [503];
  const visit = await device(STORES.memory()).answer(VALUES, { patience: 5 });
  assert.deepEqual([visit.trouble, visit.accepted.length], [null, 1]);
});

test("a credential is renewed after 30 days", async (test) => {
  const { server, device } = await started(test, SURVEY);
  const one = device(STORES.memory());
  await one.answer(VALUES);
  setClock(test, () => new Date().getTime() + 31 * DAY);
  server.openRound("paper", "2");
  assert.equal((await one.answer(VALUES)).accepted.length, 1);
  assert.equal(server.count("POST /v1/devices/me"), 1);
  assert.match([...server.devices.values()][0], /renewed/);
});

test("a store belongs to one server", async (test) => {
  const first = await started(test, SURVEY);
  const second = await started(test, SURVEY);
  const store = STORES.memory();
  await first.device(store).answer(VALUES);
  assert.match((await second.device(store).answer(VALUES)).trouble, /another server/);
  assert.equal(second.server.requests.length, 0);
});

test("a round for those who enrolled before is not for later ones", async (test) => {
  const { server, device } = await started(test, SURVEY);
  server.rounds.get("paper").enrolled_before = "2026-11-01T00:00:00Z";
  assert.match((await device(STORES.memory()).answer(VALUES)).skipped.paper, /enrolled after/);
});

test("what an app must say is asked for at once", () => {
  const options = { record: RECORD, consent: true, epsilonLimit: 1 };
  const make = (server, changed) => () => new Device(server, { ...options, ...changed });
  assert.throws(make("http://stats.example.org"), TypeError);
  assert.throws(make("https://stats.example.org", { record: undefined }), TypeError);
  assert.throws(make("https://stats.example.org", { consent: undefined }), TypeError);
  assert.throws(make("https://stats.example.org", { epsilonLimit: -1 }), TypeError);
  assert.throws(make("https://stats.example.org", { epsilonLimit: undefined }), TypeError);
  make("https://stats.example.org")();
  make("http://stats.example.org", { plainHttp: true })();
});
