import assert from "node:assert/strict";
import { test } from "node:test";
import "../src/explorations.js";
import { MemoryStore } from "../src/memory.js";
import { FaultServer } from "./support/fault_server.mjs";
import { RECORD, setClock, STEP } from "./support/devices.mjs";
import { vectorFiles } from "./support/vector_files.mjs";
import { Device } from "./support/sdk.mjs";

/**
 * Silence tells nothing: a hostile server offers one survey for each possible value and sees who answers, which requests come, how long
 * they are and, for the sake of argument, how many random bytes are drawn and what is stored. All of it is the same for everybody.
 */

const THEMES = ["light", "dark", "auto", "größer"];

/** A survey of one attribute with two values, whose table keeps nearly nothing back. */
function isOne(name, attribute, values, more) {
  const half = 2 ** 52;
  const mechanisms = [{ code: "linear", base: 2, digits: 1, multipliers: [1], table: 0 }];
  return {
    format: "harmony-survey/1",
    name,
    epsilon: 1e-4,
    answers: 1,
    attributes: [{ name: attribute, kind: "categorical", values, coin: 1, mechanisms, ...more }],
    tables: [{ kind: "circulant", counts: [half + 1, half - 1] }],
  };
}

/** A survey of one crosstab, of two such attributes: each part may have no answer. */
function isBoth(name, ...parts) {
  const survey = isOne(name, name, []);
  Object.assign(survey.attributes[0], { kind: "crosstab", of: parts });
  survey.attributes[0].mechanisms[0].digits = 2;
  return survey;
}

const THEME = { name: "a", reads: "theme", kind: "categorical", values: ["dark", "no such thing"] };
const AGE = { name: "age", kind: "numeric", low: 0, high: 120, points: 2 };
const BINS = { name: "age", kind: "numeric", low: 0, high: 120, bins: [0, 33, 120] };
const WIFI = { name: "wifi", kind: "categorical", values: [false, true] };
const two = isOne("two-types", "theme", ["light", "dark"]);
two.attributes.push({ ...two.attributes[0], name: "other", reads: "theme", values: [1, 2] });

/** A step of an exploration, of texts that begin as somebody's does, or are exactly somebody's. */
function exploring(training, asked) {
  const step = structuredClone(vectorFiles.texts.step);
  Object.assign(step.survey.attributes[0], { name: "theme", reads: "theme", ...asked });
  return { ...step, training };
}

const EXPLORATIONS = [
  exploring("begins", {}),
  exploring("missing", { missing: "dark" }),
  exploring("is-it", { length: 48, prefixes: [], bits: 0, strings: ["110001", "1", "0"] }),
];

const DOCUMENTS = [
  ...THEMES.map((theme, place) => isOne(`theme-${place}`, "theme", [theme, "no such thing"], [{}, { missing: theme }, { unlisted: theme }][place % 3])),
  isOne("age", "age", [33, -1]),
  isOne("wifi", "wifi", [false, true]),
  isOne("wrong-type", "age", ["33", "34"]),
  isOne("outside", "neighbour", [1, 2]),
  two,
  isBoth("theme-age", THEME, AGE),
  isBoth("age-theme", BINS, { ...THEME, missing: "dark" }),
  isBoth("wifi-age", WIFI, { ...AGE, missing: 33 }),
  isBoth("theme-wifi", { ...THEME, unlisted: "no such thing" }, WIFI),
];

/** All that can be seen of a visit, but the symbols. */
async function trace(test, values) {
  const server = new FaultServer(...DOCUMENTS);
  for (const step of [STEP, ...EXPLORATIONS]) server.train(step);
  const address = await server.start();
  const store = new MemoryStore();
  const drawn = [];
  const real = crypto.getRandomValues.bind(crypto);
  const { mock } = test.mock.method(crypto, "getRandomValues", (bytes) => (drawn.push(bytes.length), real(bytes)));
  const visit = await new Device(address, { record: RECORD, consent: true, epsilonLimit: 20, store }).answer(values);
  mock.restore();
  await server.stop();
  const files = await store.look((all) => [...all.keys()].map((name) => [name, name === "identity.json" || all.get(name)]));
  const reports = server.seen.map(({ survey, round, report }) => [survey, round, report.slice(0, 34), report.length]);
  const { warnings, ...seen } = visit;
  return { ...seen, requests: server.requests, reports, drawn, files };
}

const fail = () => {
  throw new Error("it may tell the value");
};
const trapped = (trap) => new Proxy({}, { [trap]: fail });
const VALUES = [
  NaN, Infinity, -0, 5e-324, 2 ** 60, 33, 33n, "33", "", "dark", "größer", "\ud800", "x".repeat(1e6), true, new String("dark"), new Number(33),
  new Boolean(true), Symbol("dark"), [], ["dark"], {}, Object.create(null), () => 33, Promise.resolve("dark"), { then: fail },
  new Date(), trapped("get"), trapped("getPrototypeOf"), { valueOf: fail, toString: fail, [Symbol.toPrimitive]: fail },
]; // prettier-ignore
const SOURCES = {
  nothing: undefined,
  null: null,
  "a number": 7,
  "a text": "dark",
  "a map": new Map([["theme", "dark"]]),
  "a promise": Promise.resolve({ theme: "dark" }),
  "a function that throws": fail,
  "a function that rejects": async () => fail(),
  "getters that throw": Object.defineProperties({}, { theme: { get: fail, enumerable: true }, age: { get: fail } }),
  "no prototype": Object.create(null),
  "names that are not in the record": { teme: 1, constructor: 2, ["__proto__"]: 3 },
  ...Object.fromEntries(["get", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"].map((trap) => [`a proxy whose ${trap} throws`, trapped(trap)])),
};

test("nobody can be told from anybody by what they do", async (test) => {
  setClock(test, () => 1.8e12);
  const expected = await trace(test, {});
  assert.equal(expected.answered.length, DOCUMENTS.length - 3 + 1 + EXPLORATIONS.length);
  assert.deepEqual(Object.keys(expected.skipped), ["wrong-type", "outside", "two-types"]);
  for (const value of VALUES) {
    const everything = Object.fromEntries(Object.keys(RECORD).map((name) => [name, value]));
    assert.deepEqual(await trace(test, everything), expected, typeof value);
  }
  for (const [kind, source] of Object.entries(SOURCES)) assert.deepEqual(await trace(test, source), expected, kind);
  let seed = 15;
  const below = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let person = 0; person < 200; person++) {
    const values = {};
    for (const name of Object.keys(RECORD)) {
      if (below(5)) values[name] = below(2) ? VALUES[below(VALUES.length)] : THEMES[below(THEMES.length)];
    }
    assert.deepEqual(await trace(test, values), expected, `person ${person}`);
  }
});
