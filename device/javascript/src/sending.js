import { confirmDeletion, withdrawalOf } from "./consent.js";
import { note } from "./ledger.js";
import { OUTBOX, waitingIn } from "./outbox.js";
import { isGone, NEVER, trouble } from "./server.js";
import { enrolled } from "./session.js";
import { keepOnly } from "./stores/store.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./visit.js").Visit} Visit */

/** A report, or a deletion request, that the server has not taken for so many seconds is given up. */
const TOO_OLD = 90 * 86400;

/** Ask the server to delete what consent was withdrawn for. @param {Session} session */
export async function finishWithdrawals({ server, store }) {
  for (const identity of await store.look((files) => withdrawalOf(files).pending)) {
    if (identity.server !== server.address) continue;
    const reply = await server.delete(identity);
    const { status } = reply;
    // 401 may pass, when a server's keys are mended; or it may not, ever.
    if (isGone(reply) || status === 200 || status === 204 || (status === 401 && Date.now() / 1000 - identity.since > TOO_OLD)) {
      await store.change((files) => confirmDeletion(files, identity.device));
    } else if (status !== 401) {
      throw trouble(reply, "deletion");
    }
  }
}

/** Send every waiting report, oldest first. @param {Session} session @param {Visit} visit */
export async function sendWaiting(session, visit) {
  const { server, store } = session;
  const all = await store.look(waitingIn);
  if (!all.length) return;
  const identity = await enrolled(session);
  for (const waiting of all) {
    const { file, survey, round } = waiting;
    let why = waiting.report.startsWith(identity.device) ? "" : waiting.report ? "its identity is lost" : "damaged on disk";
    if (Date.now() / 1000 - waiting.at > TOO_OLD) why ||= "too old";
    if (!why) {
      const reply = await server.report(identity, waiting);
      why = NEVER[reply.status] ?? "";
      const problem = trouble(reply, survey);
      if (reply.status === 404) {
        visit.trouble = problem.message;
        continue;
      }
      if (!why && reply.status > 201) throw problem;
    }
    await store.change((files) => {
      if (!files.has(file)) return;
      note(files, why ? `dropped: ${why}` : "accepted", { survey, round });
      files.delete(file);
    });
    if (why) visit.dropped.push({ survey, round, why });
    else visit.accepted.push({ survey, round });
  }
}
