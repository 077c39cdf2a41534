import { warn } from "./attribute.js";
import { PAUSE, pause, remaining } from "./backoff.js";
import { SURVEYS } from "./consent.js";
import { must, reason, Skipped } from "./errors.js";
import { parse } from "./json.js";
import { entriesOf, isAhead, isDone, note } from "./ledger.js";
import { chooseTier } from "./limits.js";
import { isOpenTo } from "./listing.js";
import { mustTell, snapshot } from "./record.js";
import { isGone, retryAfter, trouble } from "./server.js";
import { enrolled } from "./session.js";
import { sha256 } from "./sha256.js";
import { spend } from "./spend.js";
import { readStep } from "./step.js";
import { keepOnly, namesOf } from "./stores/store.js";
import { readSurvey } from "./survey.js";
import { random } from "./words.js";

/** @typedef {import("./listing.js").Listed} Listed */
/** @typedef {import("./listing.js").ListedSurvey} ListedSurvey */

/** How many seconds to leave a training alone whose step this device cannot use. */
const UNUSABLE = 86400;

/** How many seconds to wait for a task if the server does not say. */
const DEFAULT_PAUSE = 60;

/** The most documents that are kept. */
const MOST_DOCUMENTS = 16;

/**
 * Answer every open survey, and take part in every training, once. What is not answered throws why, and is noted as skipped.
 *
 * @param {import("./session.js").Session} session
 * @param {import("./record.js").Values} values
 * @param {import("./visit.js").Visit} visit
 */
export async function answerAll(session, values, visit) {
  const { store, server, limit, options } = session;
  const identity = await enrolled(session);
  const { surveys, trainings } = await server.listing();

  /**
   * Answer a survey or a step, if the record has all that it asks for.
   *
   * @param {Listed} listed @param {import("./survey.js").Survey} survey @param {import("./survey.js").Questions} questions
   * @param {{label: string, seed: string}} round @param {string} [once]
   */
  const answerOne = async ({ name, epsilon }, survey, { needs, read }, round, once) => {
    must(Math.max(...survey.tiers) === epsilon, "listed epsilon");
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
    const survey = readSurvey(parse(content, server.mostBytes));
    must(survey.name === name, "listed name");
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
    must(isOpenTo(round, identity.enrolled), "enrolled too late", Skipped);
    const survey = await surveyOf(listed);
    await answerOne(listed, survey, survey, round, round.label);
  };

  /** Ask for a training's step, and answer it if there is one for this device. @param {Listed} listed */
  const takePart = async (listed) => {
    const { name, epsilon } = listed;
    const wait = (/** @type {number} */ seconds) => store.change((files) => pause(files, name, seconds));
    let seconds = await store.look((files) => {
      chooseTier([epsilon], limit, entriesOf(files), "", Date.now());
      return remaining(files, PAUSE + name);
    });
    if (!seconds) {
      const reply = await server.task(identity, name);
      if (isGone(reply)) return;
      if (reply.status === 200) {
        try {
          const step = readStep(parse(reply.body, server.mostBytes));
          must(step.training === name, "listed training");
          return await answerOne(listed, step.survey, step, step.round);
        } catch (error) {
          if (error instanceof Skipped) await wait(UNUSABLE);
          throw error;
        }
      }
      if (reply.status !== 204) throw trouble(reply, name);
      seconds = await wait(retryAfter(reply) || DEFAULT_PAUSE);
    }
    visit.nextAttempt = Math.min(seconds, visit.nextAttempt ?? seconds);
    throw new Skipped(`no task for ${Math.ceil(seconds)} seconds`);
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
  await each(trainings, takePart);
  await store.change((files) => {
    keepOnly(files, SURVEYS, surveys.map(({ fingerprint }) => fingerprint));
    keepOnly(files, PAUSE, trainings.map(({ name }) => name));
  });
}
