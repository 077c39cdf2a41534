/**
 * The conformance vectors, in whichever JavaScript engine this runs: `check(files)` returns a count for each part and what failed.
 */
import { answer, placeOf, readAttribute } from "../../src/attribute.js";
import { bin, grid, linear, rows } from "../../src/codes.js";
import { assign, coin } from "../../src/coins.js";
import { parse } from "../../src/json.js";
import { isAhead, readLedger } from "../../src/ledger.js";
import { checkedLimit, chooseTier } from "../../src/limits.js";
import { isOpenTo, readListing } from "../../src/listing.js";
import { after } from "../../src/memos.js";
import { extremes, floorOfExp, keeps } from "../../src/proof.js";
import { mustTell } from "../../src/record.js";
import { ask, randomise, reportBytes } from "../../src/report.js";
import { DeviceError } from "../../src/errors.js";
import { answersAt, turnOf } from "../../src/rotation.js";
import { siphash } from "../../src/siphash.js";
import "../../src/explorations.js";
import { readStep } from "../../src/step.js";
import { kinds, readSurvey } from "../../src/survey.js";
import { readTable, symbol } from "../../src/tables.js";
import { readCode, readText, spell } from "../../src/text.js";
import { fromHex, toHex, top53 } from "../../src/words.js";

export const FILES = ["bounds", "coins", "codes", "tables", "reports", "refused", "documents", "lists", "records", "ledgers", "steps", "over_time", "texts"];

const draw53 = (word) => top53(BigInt(`0x${word}`));
const utf8 = (text) => new TextEncoder().encode(text);
/** The bytes of a document's parts: a text, or with `how` bytes in hexadecimal, so many times. */
const joined = (parts) => fromHex(parts.map(([text, times, how]) => (how ? text : toHex(utf8(text))).repeat(times)).join(""));

/** The random bytes of a vector, which must be used up exactly. */
export function tape(hex) {
  const bytes = fromHex(hex);
  let at = 0;
  const random = (count) => {
    if (at + count > bytes.length) throw new Error("more random bytes than there are");
    return bytes.slice(at, (at += count));
  };
  return { random, isUsedUp: () => at === bytes.length };
}

const SPECIAL = { nan: NaN, infinity: Infinity, absent: undefined };
export const special = (value) => (value !== null && typeof value === "object" && "special" in value ? SPECIAL[value.special] : value);

function refusal(action) {
  try {
    action();
  } catch (error) {
    if (error instanceof DeviceError) return error.message;
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
    test("bounds edges", i, () => keeps(extremes(readTable({ kind: "circulant", counts })), floorOfExp(epsilon, answers)), kept));
  files.bounds.products.forEach(({ epsilon, answers, table, replace, kept }, i) =>
    test("bounds products", i, () => keeps(after(readTable(table), readTable(replace)), floorOfExp(epsilon, answers)), kept));

  files.coins.siphash.forEach(({ key, message, word }) => test("siphash", message, () => siphash(fromHex(key), fromHex(message)).toString(16).padStart(16, "0"), word));
  files.coins.draws.forEach(({ seed, device, bounds, draws }) =>
    test("draws", seed, () => { const draw = coin(fromHex(seed), fromHex(device)); return bounds.map(draw); }, draws));
  files.coins.assignments.forEach(({ seed, device, weights, rows, answers, assigned }, i) =>
    test("assignments", i, () => { const draw = coin(fromHex(seed), fromHex(device)); return assign(draw, weights, answers).map((at) => [at, draw(rows[at])]); }, assigned));

  files.codes.grid.forEach(({ points, low, high, value, word, index }, i) =>
    test("grid", i, () => grid(answer(readAttribute({ name: "x", kind: "numeric", low, high }), new Map([["x", value]])), low, high, points, draw53(word)), index));
  files.codes.linear.forEach(({ base, digits, multipliers, signed = false, rows: count, cases }, i) => {
    const code = { base, digits, multipliers, signed };
    test("linear rows", i, () => rows(code), count);
    cases.forEach(({ value, row, index }) => test("linear", `${i} ${value} ${row}`, () => linear(code, value, row), index));
  });
  files.codes.bins.forEach(({ edges, value, place }, i) =>
    test("bins", i, () => bin(edges, Math.min(Math.max(value, edges[0]), edges[edges.length - 1])), place));

  files.codes.pairs.forEach(({ of, places, cases }, i) => {
    const pair = readAttribute({ name: "pair", kind: "crosstab", of });
    test("pairs places", i, () => pair.answers, places);
    cases.forEach(({ answers, word, place }, at) =>
      test("pairs", `${i} ${at}`, () => placeOf(pair, answers.map((one) => one ?? undefined), BigInt(`0x${word}`), 0), place));
  });

  files.tables.tables.forEach(({ table, cases }, i) => {
    const read = readTable(table);
    cases.forEach(({ index, word, symbol: wanted }) => test("tables", `${i} ${index} ${word}`, () => symbol(read, index, draw53(word)), wanted));
  });

  const surveys = {};
  for (const [name, document] of Object.entries(files.reports.surveys)) surveys[name] = readSurvey(document);
  const report = (survey, tier, seed, device, answers, bytes, memo) => {
    const id = fromHex(device);
    const made = randomise(survey, id, tier, answers, ask(survey, tier, fromHex(seed), id), bytes.random, memo);
    return [toHex(made), made.length === reportBytes(survey), bytes.isUsedUp()];
  };
  files.reports.reports.forEach(({ survey: name, seed, device, tier, values, random, report: wanted }, i) =>
    test("reports", `${name} ${i}`, () => {
      const survey = surveys[name];
      const told = new Map(Object.entries(values));
      const answers = survey.attributes.map(({ kind, name, parts }) => (kind === "signed" ? [values[name]] : parts.map((part) => answer(part, told))));
      return report(survey, tier, seed, device, answers, tape(random));
    }, [wanted, true, true]));
  files.reports.silence.forEach(({ seed, device, values, answers, random, report: wanted }, i) => {
    const told = () => surveys.silence.read(new Map(Object.entries(values).map(([name, value]) => [name, special(value)])));
    test("silence answers", i, () => told().map((each) => each.map((one) => one ?? null)), answers.map((one) => (Array.isArray(one) ? one : [one])));
    test("silence reports", i, () => report(surveys.silence, 0, seed, device, told(), tape(random)), [wanted, true, true]);
  });

  const { places, turns, surveys: remembering, reports: remembered } = files.over_time;
  places.forEach(({ fingerprint, device, every, place }, i) => test("places", i, () => turnOf(fingerprint, fromHex(device), every), place));
  turns.forEach(({ why, lines, every, place, number, answers }) =>
    test("turns", why, () => answersAt(every, place, "phones", number, readLedger(lines.map((line) => `${line}\n`).join(""))), answers));
  for (const [name, { fingerprint, survey }] of Object.entries(remembering)) surveys[name] = readSurvey(survey, fingerprint);
  remembered.forEach(({ survey: name, device, values, memo, random, report: wanted }, i) =>
    test("remembered", `${name} ${i}`, () =>
      report(surveys[name], 0, "00".repeat(16), device, surveys[name].read(new Map(Object.entries(values))), tape(random), fromHex(memo.map((word) => word.match(/../g).reverse().join("")).join(""))), [wanted, true, true]));

  files.refused.refused.forEach(({ why, field, survey }) => test("refused", why, () => (refusal(() => readSurvey(survey)) ?? "taken").includes(field), true));
  files.refused.taken.forEach(({ why, survey }) => test("taken", why, () => refusal(() => readSurvey(survey)), null));
  files.refused.bytes.forEach(({ why, taken, parts }) =>
    test("bytes", why, () => refusal(() => readSurvey(parse(joined(parts)))) === null, taken));

  for (const { document, canonical: text, fingerprint } of files.documents.documents) {
    test("canonical", text.slice(0, 40), () => canonical(document), text);
    expect("fingerprints", text.slice(0, 40), await sha256(utf8(text)), fingerprint);
  }

  const listing = (entry) => readListing({ protocol: 1, surveys: [entry] }).surveys.length;
  files.lists.used.forEach(({ why, listed }) => test("lists used", why, () => listing(listed), 1));
  files.lists.passed_over.forEach(({ why, listed }) => test("lists passed over", why, () => listing(listed), 0));
  test("lists trainings", "all", () => readListing({ protocol: 1, surveys: [], trainings: files.lists.trainings.listed }).trainings.map(({ name }) => name), files.lists.trainings.used);
  files.lists.unusable.forEach(({ why, list }) => test("lists unusable", why, () => refusal(() => readListing(list)) !== null, true));
  files.lists.usable.forEach(({ why, list }) => test("lists usable", why, () => { const { surveys, trainings } = readListing(list); return [surveys.map(({ name }) => name), trainings]; }, [["phones"], []]));

  files.lists.enrolled_before.forEach(({ enrolled, enrolled_before, answers }, i) => test("enrolled_before", i, () => isOpenTo({ enrolled_before }, enrolled ?? ""), answers));

  const TYPES = { number: Number, text: String, boolean: Boolean };
  const lacks = (record, survey) => mustTell(Object.fromEntries(Object.entries(record).map(([name, type]) => [name, TYPES[type]])), readSurvey(survey).needs);
  for (const [survey, cases] of [["survey", "records"], ["reading", "reads"]]) {
    files.records[cases].forEach(({ why, record, answers }) => {
      test("records", why, () => refusal(() => lacks(record, files.records[survey])) === null, answers);
      for (const none of ["signed", "two_types"]) test("records of none", why, () => refusal(() => lacks(record, files.records[none])) === null, false);
    });
  }

  const WORDS = { perReport: "per_report", perRound: "per_round", per30Days: "per_30_days" };
  const limits = [...files.ledgers.limits, ...files.ledgers.memory.map(({ charge, answer, ...rest }) => ({ ...rest, charge, answer: answer === true ? 0 : answer }))];
  limits.forEach(({ why, lines, now, limit, tiers, charge, round, answer: wanted }) =>
    test("ledger limits", why, () => {
      let text = lines.map((line) => `${line}\n`).join("").replace("<cut>\n", "");
      const time = Date.parse(now);
      if (isAhead(readLedger(text), time)) text += `${JSON.stringify({ at: now, event: "clock" })}\n`;
      const limits = checkedLimit({ perReport: limit.per_report, perRound: limit.per_round, per30Days: limit.per_30_days, steady: limit.steady });
      const charges = charge ? [charge] : tiers.map((epsilon) => ({ epsilon }));
      let chosen;
      const why = refusal(() => (chosen = chooseTier(charges, limits, readLedger(text), round, time)));
      return why === null ? chosen : WORDS[why.split(":")[0]];
    }, wanted));
  files.ledgers.damaged.forEach((line, i) => test("ledger damaged", i, () => refusal(() => readLedger(`${line}\n`)) !== null, true));

  for (const [which, cases] of [["step", "reports"], ["extreme", "extreme_reports"], ["numeric", "numeric_reports"], ["rounding", "rounding_reports"], ["crossed", "crossed_reports"]]) {
    const step = readStep(files.steps[which]);
    const { attributes } = step.survey;
    files.steps[cases].forEach(({ device, record, random, values, report: wanted }, i) => {
      const bytes = tape(random);
      let told;
      test(`${which} values`, i, () => {
        told = step.read(new Map(Object.entries(record)), bytes.random);
        return Object.fromEntries(attributes.map((one, at) => [one.name, one.kind === "categorical" ? [...one.places.keys()][told[at][0]] ?? null : told[at][0] ?? null]));
      }, Object.fromEntries(attributes.map(({ name, bins }) => [name, bins && values[name] !== null ? bin(bins, values[name]) : values[name]])));
      test(`${which} reports`, i, () => report(step.survey, 0, step.round.seed, device, told, bytes), [wanted, true, true]);
    });
  }
  files.texts.places.forEach(({ attribute, value, place }, i) =>
    test("places of texts", i, () => readText({ ...attribute, code: files.texts.codes[attribute.code] }).places.get(special(value)), place));
  files.texts.spelled.forEach(({ code, text, length, bits }, i) =>
    test("spelled", `${code} ${i}`, () => spell(readCode(files.texts.codes[code]), text, length), bits));
  const exploring = readStep(files.texts.step);
  files.texts.reports.forEach(({ device, values, random, report: wanted }, i) => {
    const bytes = tape(random);
    const told = new Map(Object.entries(values).map(([name, value]) => [name, special(value)]));
    test("reports of texts", i, () => report(exploring.survey, 0, exploring.round.seed, device, exploring.read(told, bytes.random), bytes), [wanted, true, true]);
  });
  const asked = files.texts.step.survey.attributes[0];
  files.texts.refused.forEach(({ why, field, change }) =>
    test("refused texts", why, () => (refusal(() => readAttribute({ ...asked, ...change }, kinds)) ?? "taken").includes(field), true));

  const changed = (path, value, of = files.steps.step) => {
    const step = structuredClone(of);
    const parent = path.slice(0, -1).reduce((at, key) => at[key], step);
    parent[path[path.length - 1]] = value;
    return step;
  };
  files.steps.refused.forEach(({ why, field, path, value }) =>
    test("step refused", why, () => (refusal(() => readStep(changed(path, value))) ?? "taken").includes(field), true));
  files.texts.steps_refused.forEach(({ why, field, path, value }) =>
    test("step of texts refused", why, () => (refusal(() => readStep(changed(path, value, files.texts.step))) ?? "taken").includes(field), true));
  files.steps.taken.forEach(({ why, path, value }) => test("step taken", why, () => refusal(() => readStep(changed(path, value))), null));

  return { counts, failed };
}
