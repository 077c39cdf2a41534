import { answer, warn } from "./attribute.js";
import { PAUSE, pause, remaining } from "./backoff.js";
import { SURVEYS } from "./consent.js";
import { derived, look } from "./derive.js";
import { must, Refused, Skipped } from "./errors.js";
import { parse } from "./json.js";
import { entriesOf, isAhead, isDone, note } from "./ledger.js";
import { chooseTier } from "./limits.js";
import { isOpenTo } from "./listing.js";
import { mustTell, snapshot } from "./record.js";
import { retryAfter, trouble } from "./server.js";
import { enrolled } from "./session.js";
import { sha256 } from "./sha256.js";
import { spend } from "./spend.js";
import { readStep } from "./step.js";
import { keepOnly, namesOf } from "./stores/store.js";
import { readSurvey } from "./survey.js";
import { random } from "./words.js";

/** @typedef {import("./listing.js").Listed} Listed */
/** @typedef {import("./listing.js").ListedSurvey} ListedSurvey */
/** @typedef {import("./survey.js").Survey} Survey */

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
  const { store, server, limit, clock, options } = session;
  const identity = await enrolled(session);
  const { surveys, trainings } = await server.listing();

  /** A training's document cannot be known before. @param {string} name @param {string} [fingerprint] */
  const mustBeReviewed = (name, fingerprint) =>
    must(!options.surveys || (fingerprint && options.surveys[name] === fingerprint), "not reviewed", Skipped);

  /**
   * Answer a survey or a step, if the record has all that it asks for.
   *
   * @param {Survey} survey @param {Listed} listed @param {{label: string, seed: string}} round @param {string | undefined} once
   * @param {import("./attribute.js").Attribute[]} needs
   * @param {(told: Map<string, unknown>) => (number | undefined)[]} read
   */
  const answerOne = async (survey, { name, epsilon }, round, once, needs, read) => {
    must(Math.max(...survey.tiers) === epsilon, "the listed epsilon");
    mustTell(options.record, needs);
    await spend(session, identity, survey, name, round, once, () => {
      const told = snapshot(values, needs);
      for (const attribute of needs) warn(visit.warnings, attribute, told.get(attribute.name));
      return read(told);
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
    const { name, fingerprint, round } = listed;
    mustBeReviewed(name, fingerprint);
    must(isOpenTo(round, identity.enrolled), "enrolled after the round opened", Skipped);
    const survey = await surveyOf(listed);
    const { attributes } = survey;
    await answerOne(survey, listed, round, round.label, attributes, (told) => attributes.map((one) => answer(one, told.get(one.name))));
  };

  /** Ask for a training's step, and answer it if there is one for this device. @param {Listed} listed */
  const takePart = async (listed) => {
    const { name, epsilon } = listed;
    const now = clock();
    const wait = (/** @type {number} */ seconds) => store.change((files) => pause(files, name, now, seconds));
    mustBeReviewed(name);
    let seconds = await store.look((files) => {
      chooseTier([epsilon], limit, entriesOf(files), "", now);
      return remaining(files, PAUSE + name, now);
    });
    if (!seconds) {
      const reply = await server.task(identity, name);
      if (reply.status === 404 || reply.status === 410) return;
      if (reply.status === 200) {
        try {
          const step = readStep(parse(reply.body, server.mostBytes));
          must(step.training === name, "the listed training");
          const needs = [...step.features, step.label];
          return await answerOne(step.survey, listed, step.round, undefined, needs, (told) => derived(step, look(step, told, random)));
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

  /** Do what is not done yet, or note why it is skipped. @param {string} name @param {string | undefined} once @param {() => Promise<void>} action */
  const unlessDone = async (name, once, action) => {
    if (await store.look((files) => isDone(entriesOf(files), name, once))) return;
    delete visit.skipped[name];
    await action().catch((error) => {
      if (!(error instanceof Skipped)) throw error;
      visit.skipped[name] = error instanceof Refused ? `refused: ${error.message}` : error.message;
    });
  };

  await store.change((files) => {
    if (isAhead(entriesOf(files), clock())) note(files, clock(), "clock");
  });
  for (const listed of surveys) await unlessDone(listed.name, listed.round.label, () => answerSurvey(listed));
  for (const listed of trainings) await unlessDone(listed.name, undefined, () => takePart(listed));
  await store.change((files) => {
    keepOnly(files, SURVEYS, surveys.map(({ fingerprint }) => fingerprint));
    keepOnly(files, PAUSE, trainings.map(({ name }) => name));
  });
}
