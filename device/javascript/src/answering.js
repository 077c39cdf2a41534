import { warn } from "./attribute.js";
import { SURVEYS } from "./consent.js";
import { must, reason, Skipped } from "./errors.js";
import { parse } from "./json.js";
import { entriesOf, isAhead, isDone, note } from "./ledger.js";
import { isOpenTo } from "./listing.js";
import { mustTell, snapshot } from "./record.js";
import { enrolled } from "./session.js";
import { sha256 } from "./sha256.js";
import { spend } from "./spend.js";
import { keepOnly, namesOf } from "./stores/store.js";
import { readSurvey } from "./survey.js";
import { random } from "./words.js";

/** @typedef {import("./listing.js").Listed} Listed */
/** @typedef {import("./listing.js").ListedSurvey} ListedSurvey */

/**
 * @typedef {(listed: Listed, survey: import("./survey.js").Survey, questions: import("./survey.js").Questions,
 *   round: {label: string, seed: string, number?: number | null}, once?: string) => Promise<void>} AnswerOne
 */

/** The most documents that are kept. */
const MOST_DOCUMENTS = 16;

/**
 * Answer every open survey, and take part in every training where that is part of the device, once. What is not answered throws why, and is noted as skipped.
 *
 * @param {import("./session.js").Session} session
 * @param {import("./record.js").Values} values
 * @param {import("./visit.js").Visit} visit
 */
export async function answerAll(session, values, visit) {
  const { store, server, options } = session;
  const identity = await enrolled(session);
  const { surveys, trainings } = await server.listing();

  /**
   * Answer a survey or a step, if the record has all that it asks for.
   *
   * @type {AnswerOne}
   */
  const answerOne = async ({ name, epsilon }, survey, { needs, read }, round, once) => {
    must(Math.max(...survey.tiers) === epsilon, "the listed epsilon");
    mustTell(options.record, needs);
    await spend(session, identity, survey, name, round, once, () => {
      const told = snapshot(values, needs);
      for (const attribute of needs) warn(visit.warnings, attribute, told.get(attribute.reads));
      return read(told, random);
    });
    visit.answered.push({ survey: name, round: round.label });
  };

  /** The offered survey, which is downloaded once and checked before it is used. @param {ListedSurvey} listed */
  const surveyOf = async ({ name, fingerprint }) => {
    const file = SURVEYS + fingerprint;
    const kept = await store.look((files) => files.get(file));
    const content = kept ? new TextEncoder().encode(kept) : await server.document(name);
    must((await sha256(content)) === fingerprint, "fingerprint");
    const survey = readSurvey(parse(content, server.mostBytes), fingerprint);
    must(survey.name === name, "the listed name");
    const keep = (/** @type {import("./stores/store.js").Files} */ files) => {
      if (namesOf(files, SURVEYS).length < MOST_DOCUMENTS) files.set(file, new TextDecoder().decode(content));
    };
    // It can be downloaded again, so a store without room for it is no trouble.
    if (!kept) await store.change(keep).catch(() => {});
    return survey;
  };

  /** Answer a survey's open round. @param {ListedSurvey} listed */
  const answerSurvey = async (listed) => {
    const { round } = listed;
    must(isOpenTo(round, identity.enrolled), "enrolled after it opened", Skipped);
    const survey = await surveyOf(listed);
    await answerOne(listed, survey, survey, round, round.label);
  };

  /**
   * Do for each what is not done yet, or note why it is skipped. Where the app's authors reviewed documents, only these are answered: never
   * a training, whose document cannot be known before.
   *
   * @template {Listed & {fingerprint?: string, round?: {label: string}}} T
   * @param {T[]} all @param {(listed: T) => Promise<void>} action
   */
  const each = async (all, action) => {
    for (const listed of all) {
      const { name, fingerprint, round } = listed;
      if (await store.look((files) => isDone(entriesOf(files), name, round?.label))) continue;
      delete visit.skipped[name];
      try {
        must(!options.surveys || (fingerprint && options.surveys[name] === fingerprint), "not reviewed", Skipped);
        await action(listed);
      } catch (error) {
        if (!(error instanceof Skipped)) throw error;
        visit.skipped[name] = reason(error);
      }
    }
  };

  await store.change((files) => {
    if (isAhead(entriesOf(files), Date.now())) note(files, "clock");
  });
  await each(surveys, answerSurvey);
  await options.takePart?.(session, identity, trainings, visit, each, answerOne);
  await store.change((files) => keepOnly(files, SURVEYS, surveys.map(({ fingerprint }) => fingerprint)));
}
