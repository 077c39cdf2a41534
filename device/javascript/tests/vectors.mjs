/**
 * The conformance vectors, in whichever JavaScript engine this runs: `check(files)` returns a count for each part and what failed.
 */
import { answer } from "../src/attribute.js";
import { bin, grid, linear, rows } from "../src/codes.js";
import { assign, coin } from "../src/coins.js";
import { derived, look } from "../src/derive.js";
import { parse } from "../src/json.js";
import { isAhead, readLedger, readTime, writeTime } from "../src/ledger.js";
import { billionths, chooseTier } from "../src/limits.js";
import { isEnrolledBefore, readListing } from "../src/listing.js";
import { floorOfExp, keeps } from "../src/proof.js";
import { tells } from "../src/record.js";
import { makeReport } from "../src/report.js";
import { Refused } from "../src/refusal.js";
import { siphash } from "../src/siphash.js";
import { readStep } from "../src/step.js";
import { readSurvey } from "../src/survey.js";
import { readTable, symbol } from "../src/tables.js";
import { fromHex, toHex, top53, view } from "../src/words.js";

export const FILES = ["bounds", "coins", "codes", "tables", "reports", "refused", "documents", "lists", "records", "ledgers", "steps"];

const bytesOf = (word) => fromHex(word).reverse();
const draw53 = (word) => top53(view(bytesOf(word)), 0);
const utf8 = (text) => new TextEncoder().encode(text);

/** The random bytes of a vector, which must be used up exactly. */
function tape(hex) {
  const bytes = fromHex(hex);
  let at = 0;
  const random = (count) => {
    if (at + count > bytes.length) throw new Error("more random bytes than there are");
    return bytes.slice(at, (at += count));
  };
  return { random, isUsedUp: () => at === bytes.length };
}

const SPECIAL = { nan: NaN, infinity: Infinity, absent: undefined };
const special = (value) => (value !== null && typeof value === "object" && "special" in value ? SPECIAL[value.special] : value);

function refusal(action) {
  try {
    action();
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return null;
}

/** What RFC 8785 writes; ECMAScript's own numbers and escapes are its rule. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`;
}

async function sha256(bytes) {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export async function check(files) {
  const counts = {};
  const failed = [];
  const expect = (part, name, got, wanted) => {
    counts[part] = (counts[part] ?? 0) + 1;
    if (JSON.stringify(got) !== JSON.stringify(wanted)) failed.push(`${part}: ${name}: ${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`);
  };
  const test = (part, name, action, wanted) => {
    let got;
    try {
      got = action();
    } catch (error) {
      got = `threw ${error}`;
    }
    expect(part, name, got, wanted);
  };

  files.bounds.bounds.forEach(({ epsilon, answers, floor }) => test("bounds", `${epsilon} / ${answers}`, () => floorOfExp(epsilon, answers).toString(16), floor));
  files.bounds.edges.forEach(({ epsilon, answers, counts, kept }, i) =>
    test("bounds edges", i, () => keeps(readTable({ kind: "circulant", counts }, "t"), floorOfExp(epsilon, answers)), kept));

  const hexOf = ([low, high]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
  files.coins.siphash.forEach(({ key, message, word }) => test("siphash", message, () => hexOf(siphash(fromHex(key), fromHex(message))), word));
  files.coins.draws.forEach(({ seed, device, bounds, draws }) =>
    test("draws", seed, () => { const draw = coin(fromHex(seed), fromHex(device)); return bounds.map(draw); }, draws));
  files.coins.assignments.forEach(({ seed, device, weights, rows, answers, assigned }, i) =>
    test("assignments", i, () => { const draw = coin(fromHex(seed), fromHex(device)); return assign(draw, weights, answers).map((at) => [at, draw(rows[at])]); }, assigned));

  files.codes.grid.forEach(({ points, low, high, value, word, index }, i) =>
    test("grid", i, () => grid(answer({ kind: "numeric", asks: "number", low, high }, value), low, high, points, draw53(word)), index));
  files.codes.linear.forEach(({ base, digits, multipliers, signed = false, rows: count, cases }, i) => {
    const code = { base, digits, multipliers, signed };
    test("linear rows", i, () => rows(code), count);
    cases.forEach(({ value, row, index }) => test("linear", `${i} ${value} ${row}`, () => linear(code, value, row), index));
  });
  files.codes.bins.forEach(({ edges, value, place }, i) =>
    test("bins", i, () => bin(edges, Math.min(Math.max(value, edges[0]), edges[edges.length - 1])), place));

  files.tables.tables.forEach(({ table, cases }, i) => {
    const read = readTable(table, "table");
    cases.forEach(({ index, word, symbol: wanted }) => test("tables", `${i} ${index} ${word}`, () => symbol(read, index, draw53(word)), wanted));
  });

  const surveys = {};
  for (const [name, document] of Object.entries(files.reports.surveys)) surveys[name] = readSurvey(document);
  files.reports.reports.forEach(({ survey: name, seed, device, tier, values, random, report }, i) =>
    test("reports", `${name} ${i}`, () => {
      const survey = surveys[name];
      const bytes = tape(random);
      const answerOf = (at) => (survey.attributes[at].kind === "signed" ? values[survey.attributes[at].name] : answer(survey.attributes[at], values[survey.attributes[at].name]));
      return [toHex(makeReport(survey, tier, fromHex(seed), fromHex(device), answerOf, bytes.random)), bytes.isUsedUp()];
    }, [report, true]));
  files.reports.silence.forEach(({ seed, device, values, answers, random, report }, i) => {
    const survey = surveys.silence;
    const told = () => survey.attributes.map((attribute) => answer(attribute, special(values[attribute.name])));
    test("silence answers", i, told, answers);
    test("silence reports", i, () => {
      const bytes = tape(random);
      return [toHex(makeReport(survey, 0, fromHex(seed), fromHex(device), (at) => told()[at], bytes.random)), bytes.isUsedUp()];
    }, [report, true]);
  });

  files.refused.refused.forEach(({ why, field, survey }) => test("refused", why, () => (refusal(() => readSurvey(survey)) ?? "taken").includes(field), true));
  files.refused.taken.forEach(({ why, survey }) => test("taken", why, () => refusal(() => readSurvey(survey)), null));
  files.refused.bytes.forEach(({ why, taken, parts }) =>
    test("bytes", why, () => refusal(() => readSurvey(parse(utf8(parts.map(([text, times]) => text.repeat(times)).join(""))))) === null, taken));

  for (const { document, canonical: text, fingerprint } of files.documents.documents) {
    test("canonical", text.slice(0, 40), () => canonical(document), text);
    expect("fingerprints", text.slice(0, 40), await sha256(utf8(text)), fingerprint);
  }

  const listing = (entry) => readListing({ protocol: 1, surveys: [entry] }).surveys.length;
  files.lists.used.forEach(({ why, listed }) => test("lists used", why, () => listing(listed), 1));
  files.lists.passed_over.forEach(({ why, listed }) => test("lists passed over", why, () => listing(listed), 0));
  test("lists trainings", "all", () => readListing({ protocol: 1, surveys: [], trainings: files.lists.trainings.listed }).trainings.map(({ name }) => name), files.lists.trainings.used);
  files.lists.unusable.forEach(({ why, list }) => test("lists unusable", why, () => refusal(() => readListing(list)) !== null, true));
  files.lists.enrolled_before.forEach(({ enrolled, enrolled_before, answers }, i) => test("enrolled_before", i, () => isEnrolledBefore(enrolled, enrolled_before), answers));

  const asked = readSurvey(files.records.survey).attributes;
  const TYPES = { number: "number", text: "string", boolean: "boolean" };
  files.records.records.forEach(({ why, record, answers }) =>
    test("records", why, () => tells(Object.fromEntries(Object.entries(record).map(([name, type]) => [name, TYPES[type]])), asked), answers));

  const LIMITS = { perReport: "per_report", perRound: "per_round", per30Days: "per_30_days" };
  files.ledgers.limits.forEach(({ why, lines, now, limit, tiers, round, answer: wanted }) =>
    test("ledger limits", why, () => {
      const entries = readLedger(lines.map((line) => `${line}\n`).join("").replace("<cut>\n", ""));
      const time = readTime(now);
      if (isAhead(entries, time)) entries.push({ at: writeTime(time), event: "clock" });
      const per30Days = billionths(limit.per_30_days);
      const perRound = limit.per_round === undefined ? per30Days : billionths(limit.per_round);
      const perReport = limit.per_report === undefined ? perRound : billionths(limit.per_report);
      const chosen = chooseTier(tiers, { perReport, perRound, per30Days }, entries, round, time);
      return typeof chosen === "string" ? LIMITS[chosen] : chosen;
    }, wanted));
  files.ledgers.damaged.forEach((line, i) => test("ledger damaged", i, () => readLedger(`${line}\n`), null));

  const step = readStep(files.steps.step);
  files.steps.reports.forEach(({ device, record, random, values, report }, i) => {
    const bytes = tape(random);
    let told;
    test("step values", i, () => {
      told = derived(step, look(step, ({ name }) => record[name], bytes.random));
      return Object.fromEntries(step.survey.attributes.map((attribute, at) => [attribute.name, attribute.kind === "categorical" ? attribute.values[told[at]] ?? null : told[at]]));
    }, values);
    test("step reports", i, () => [toHex(makeReport(step.survey, 0, fromHex(step.round.seed), fromHex(device), (at) => told[at], bytes.random)), bytes.isUsedUp()], [report, true]);
  });
  files.steps.refused.forEach(({ why, field, path, value }) =>
    test("step refused", why, () => {
      const changed = structuredClone(files.steps.step);
      const last = path[path.length - 1];
      const parent = path.slice(0, -1).reduce((at, key) => at[key], changed);
      parent[last] = value;
      return (refusal(() => readStep(changed)) ?? "taken").includes(field);
    }, true));

  return { counts, failed };
}
