/**
 * Compares reports with those that another SDK made of the same random cases (tests/device/differential.py).
 *
 *     node tests/support/differential.mjs CASES.ndjson
 *
 * prints how many of them give the same bytes, and ends with 1 unless all do.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import "../../src/node.js";
import { ask, randomise } from "../../src/report.js";
import { readStep } from "../../src/step.js";
import { readSurvey } from "../../src/survey.js";
import { fromHex, toHex } from "../../src/words.js";
import { special, tape } from "./vectors.mjs";

let same = 0;
let all = 0;
let survey;
let questions;
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const { survey: document, step: task, seed = questions?.round?.seed, device, tier, values, random, report } = JSON.parse(line);
  if (document) survey = questions = readSurvey(document);
  else if (task) ({ survey } = questions = readStep(task));
  else {
    const told = new Map(Object.entries(values).map(([name, value]) => [name, special(value)]));
    const bytes = tape(random);
    const id = fromHex(device);
    const answers = questions.read(told, bytes.random);
    const made = toHex(randomise(survey, id, tier, answers, ask(survey, tier, fromHex(seed), id), bytes.random));
    all++;
    if (made === report && bytes.isUsedUp()) same++;
    else if (all - same < 10) console.log(`another report, ${made}: ${line}`);
  }
}
console.log(`${same} of ${all}`);
process.exitCode = all && same === all ? 0 : 1;
