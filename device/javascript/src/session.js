import { settleConsent, withdrawalOf } from "./consent.js";
import { DeviceError, must } from "./errors.js";
import { IDENTITY, identityOf } from "./identity.js";

/** @typedef {import("./identity.js").Identity} Identity */
/** @typedef {import("./stores/store.js").Files} Files */

/**
 * @typedef {object} Session what the parts of a device share
 * @property {import("./server.js").Server} server
 * @property {import("./stores/store.js").Store} store
 * @property {import("./device.js").Options} options
 * @property {Required<import("./limits.js").EpsilonLimit>} limit
 */

/** A credential older than so many seconds is renewed, well before a server drops the key it was made with. */
const RENEWAL = 30 * 86400;

export const NO_CONSENT = "consent is not given";

/** What the app says about consent now. If it throws, nothing is sent, and nothing deleted. @param {Session} session */
const isGiven = async ({ options: { consent } }) => (typeof consent === "function" ? await consent() : consent) === true;

/** Carry out what consent demands of the store, and say whether it is given. @param {Session} session */
export async function settle(session) {
  const { store } = session;
  const given = await isGiven(session);
  if (!given && !(await store.look((files) => files.size))) return false;
  return store.change((files) => settleConsent(files, given));
}

/** Make sure of consent: before every request but a deletion, and before anything is spent. @param {Session} session */
export async function needConsent(session) {
  must((await isGiven(session)) && (await session.store.look((files) => !withdrawalOf(files).by)), NO_CONSENT, DeviceError);
}

/** Make sure that consent, and identity if there was one, are still there. @param {Files} files @param {Identity} [identity] */
export function needIdentity(files, identity) {
  must(!withdrawalOf(files).by, NO_CONSENT, DeviceError);
  must(!identity || identityOf(files)?.device === identity.device, "storage was cleared", DeviceError);
}

/**
 * This device's identity, which it asks for the first time, and renews.
 *
 * @param {Session} session
 * @returns {Promise<Identity>}
 */
export const enrolled = ({ server, store, options }) =>
  store.alone(async () => {
    const old = await store.look(identityOf);
    must(!old || old.server === server.address, "store: of another server", DeviceError);
    if (old && Math.abs(Date.now() / 1000 - old.renewed) < RENEWAL) return old;
    const issued = await (old ? server.renew(old) : server.enrol(options.key));
    return store.change((files) => {
      needIdentity(files, old);
      // Without locks another tab may have enrolled meanwhile: its identity is the one.
      const other = identityOf(files);
      if (other && !old) return other;
      const identity = { ...issued, renewed: Date.now() / 1000 };
      files.put(IDENTITY, identity);
      return identity;
    });
  });
