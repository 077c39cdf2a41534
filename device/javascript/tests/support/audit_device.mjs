/**
 * The program that `harmony audit --device` drives: it reports as often as it is asked to, on one set of values.
 *
 * It spends epsilon without counting, so it is no part of the published package.
 */
import "../../src/node.js";
import { ask, randomise } from "../../src/report.js";
import { readSurvey } from "../../src/survey.js";
import { fromHex, random } from "../../src/words.js";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { survey: document, seed, device, tier, values, count } = JSON.parse(Buffer.concat(chunks).toString());
const survey = readSurvey(document);
const id = fromHex(device);
const answers = survey.read(new Map(Object.entries(values)));
const reports = Array.from({ length: count }, () => randomise(survey, id, tier, answers, ask(survey, tier, fromHex(seed), id), random));
process.stdout.write(Buffer.concat(reports));
