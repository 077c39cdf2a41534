import { answerAll } from "./answering.js";
import { BACKOFF, failed, remaining } from "./backoff.js";
import { rejoin, withdraw, withdrawalOf } from "./consent.js";
import { DeviceError, must, reason, Refused, ServerError } from "./errors.js";
import { MOST_BYTES } from "./json.js";
import { entriesOf } from "./ledger.js";
import { checkedLimit } from "./limits.js";
import { waitingIn } from "./outbox.js";
import { finishWithdrawals, sendWaiting } from "./sending.js";
import { checkedAddress, serverAt } from "./server.js";
import { NO_CONSENT, settle } from "./session.js";
import { statusOf } from "./status.js";
import { IndexedDbStore } from "./stores/indexeddb.js";
import { Visit } from "./visit.js";

/** @typedef {import("./record.js").Values} Values */

/**
 * @typedef {object} Options
 * @property {import("./record.js").Told} record
 *   What this app can tell, the same for all of its users: `{battery: Number, theme: String, wifi: Boolean}`. A survey that asks for
 *   something else is skipped; any other is answered, whatever the values are and whether they are there.
 * @property {boolean | (() => boolean | Promise<boolean>)} consent
 *   Or a function that is asked before every request. Without consent nothing is sent, and what was kept is deleted here and at the server.
 * @property {number | import("./limits.js").EpsilonLimit} epsilonLimit the owner's; a number bounds reports, rounds and 30 days alike
 * @property {Record<string, string>} [surveys] the only documents to answer, each name with the fingerprint that the app's authors reviewed
 * @property {import("./stores/store.js").Store} [store] where to keep state; IndexedDB if not given
 * @property {typeof import("./trainings.js").takePart} [takePart] in trainings, which `Device` of `@harmony-ldp/device` does anyway
 * @property {string} [key] the enrolment key, if the server asks for one
 * @property {boolean} [plainHttp] allow http on a network that is trusted
 * @property {number} [mostDocumentBytes] of a document or a reply, 1 MiB if not given
 * @property {typeof globalThis.fetch} [fetch] another one, for tests and proxies
 */

/**
 * One participant, whose whole state is in its store. Several tabs, workers or processes may share a store.
 */
export class Device {
  /** @type {import("./session.js").Session} */
  #session;

  /** @param {string} server @param {Options} options */
  constructor(server, options) {
    const { record, consent, epsilonLimit, store = new IndexedDbStore(), mostDocumentBytes = MOST_BYTES, plainHttp } = options;
    must(record && consent != null, "record or consent", TypeError);
    const session = /** @type {import("./session.js").Session} */ ({ options, store, limit: checkedLimit(epsilonLimit) });
    session.server = serverAt(checkedAddress(server, plainHttp), session, mostDocumentBytes);
    this.#session = session;
  }

  /**
   * Answer each open survey once, take part once in each training, and say what happened. Never rejects.
   *
   * `values` is an object, or a function of an attribute's name; everything that a document asks for is read, whichever attribute the coin
   * asks. Who has none answers as well. Nothing about a value decides what is sent: `visit.warnings` tells the app's developer.
   *
   * @param {Values} values
   * @param {{patience?: number}} [options] how many seconds this call may spend on waiting for further attempts
   * @returns {Promise<Visit>}
   */
  answer(values = {}, options) {
    return this.#visit(options, values);
  }

  /**
   * Send every waiting report, answering nothing new. Never rejects.
   *
   * @param {{patience?: number}} [options]
   * @returns {Promise<Visit>}
   */
  send(options) {
    return this.#visit(options);
  }

  /**
   * What was asked, when, and how much epsilon it spent, oldest first. Rejects if that is unknown.
   *
   * @returns {Promise<import("./ledger.js").Entry[]>}
   */
  ledger() {
    return this.#session.store.look(entriesOf);
  }

  /**
   * Who this device is, what waits and what was spent. Never rejects: `trouble` says why the rest is unknown.
   *
   * @returns {Promise<import("./status.js").Status>}
   */
  status() {
    return this.#session.store.look(statusOf).catch((error) => ({ trouble: reason(error) }));
  }

  /**
   * Withdraw consent: delete everything but the ledger, and ask the server to delete too. Rejects if it could not be deleted here.
   *
   * @returns {Promise<boolean>} whether the server has confirmed; if not, every later visit asks again
   */
  async forget() {
    const { store } = this.#session;
    await store.change((files) => withdraw(files, "forget"));
    await finishWithdrawals(this.#session).catch(() => {});
    return store.look((files) => !withdrawalOf(files).pending.length);
  }

  /** Consent again after `forget`; the next visit enrols under a new identity. @returns {Promise<void>} */
  rejoin() {
    return this.#session.store.change(rejoin);
  }

  /** @param {{patience?: number}} [options] @param {Values} [values] @returns {Promise<Visit>} */
  async #visit({ patience = 0 } = {}, values) {
    const visit = new Visit();
    for (;;) {
      await this.#attempt(visit, values);
      const pause = visit.nextAttempt ?? Infinity;
      if (pause > patience) return visit;
      patience -= pause;
      await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    }
  }

  /** @param {Visit} visit @param {Values} [values] */
  async #attempt(visit, values) {
    const { store, options } = this.#session;
    visit.trouble = visit.nextAttempt = null;
    try {
      const isGiven = await settle(this.#session);
      visit.nextAttempt = (await store.look((files) => remaining(files, BACKOFF))) || null;
      must(!visit.nextAttempt, "the server is left alone", DeviceError);
      await finishWithdrawals(this.#session);
      must(isGiven, NO_CONSENT, DeviceError);
      await sendWaiting(this.#session, visit);
      if (values !== undefined) {
        try {
          for (const name in values) if (!options.record[name]) visit.warnings.add(`${name}: not in the record`);
        } catch {
          // As in `snapshot`.
        }
        await answerAll(this.#session, values, visit);
        await sendWaiting(this.#session, visit);
      }
      await store.change((files) => files.delete(BACKOFF));
    } catch (error) {
      visit.trouble = reason(error);
      if (error instanceof ServerError || error instanceof Refused) {
        const pause = store.change((files) => failed(files, /** @type {ServerError} */ (error).retryAfter));
        // Where not even a pause can be kept, the server is left alone until the app comes back.
        visit.nextAttempt = await pause.catch(() => null);
      }
    }
    visit.waiting = await store.look((files) => waitingIn(files).length).catch(() => 0);
  }
}
