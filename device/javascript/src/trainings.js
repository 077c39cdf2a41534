import { PAUSE, pause, remaining } from "./backoff.js";
import { must, Skipped } from "./errors.js";
import { parse } from "./json.js";
import { entriesOf } from "./ledger.js";
import { chooseTier } from "./limits.js";
import { isGone, retryAfter, trouble } from "./server.js";
import { readStep } from "./step.js";
import { keepOnly } from "./stores/store.js";

/** @typedef {import("./listing.js").Listed} Listed */

/** How many seconds to leave a training alone whose step this device cannot use. */
const UNUSABLE = 86400;

/** How many seconds to wait for a task if the server does not say. */
const DEFAULT_PAUSE = 60;

/**
 * Ask for the step of each training, and answer it if there is one for this device.
 *
 * @param {import("./session.js").Session} session @param {import("./identity.js").Identity} identity
 * @param {Listed[]} trainings @param {import("./visit.js").Visit} visit
 * @param {(all: Listed[], action: (listed: Listed) => Promise<void>) => Promise<void>} each
 * @param {import("./answering.js").AnswerOne} answerOne
 */
export async function takePart({ store, server, limit }, identity, trainings, visit, each, answerOne) {
  await each(trainings, async (listed) => {
    const { name, epsilon } = listed;
    const wait = (/** @type {number} */ seconds) => store.change((files) => pause(files, name, seconds));
    let seconds = await store.look((files) => {
      chooseTier([{ epsilon }], limit, entriesOf(files), "", Date.now());
      return remaining(files, PAUSE + name);
    });
    if (!seconds) {
      const reply = await server.task(identity, name);
      if (isGone(reply)) return;
      if (reply.status === 200) {
        try {
          const step = readStep(parse(reply.body, server.mostBytes));
          must(step.training === name, "the listed training");
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
  });
  await store.change((files) => keepOnly(files, PAUSE, trainings.map(({ name }) => name)));
}
