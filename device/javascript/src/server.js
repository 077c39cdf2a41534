import { must, ServerError } from "./errors.js";
import { readIdentity } from "./identity.js";
import { parse } from "./json.js";
import { PROTOCOL, readListing } from "./listing.js";
import { needConsent } from "./session.js";

/** @typedef {import("./identity.js").Identity} Identity */

/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {Headers} headers
 * @property {Uint8Array} body
 */

/** Refusals that no second attempt will change: the report is dropped. @type {Record<number, string>} */
export const NEVER = { 403: "forbidden", 409: "conflict", 410: "closed", 413: "too-large", 422: "malformed" };

/** Replies that say that there is no such thing, or no more. @param {Reply} reply */
export const isGone = ({ status }) => status === 404 || status === 410;

const LONGEST_EXCHANGE = 60000;

/** How many seconds a server asks to be left alone, in a number or a date. @param {Reply} reply */
export function retryAfter({ headers }) {
  const text = headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(text) ? +text : (Date.parse(text) - Date.now()) / 1000;
  return seconds > 0 ? seconds : 0;
}

/** The error for a reply that asks to come back later. @param {Reply} reply @param {string} what */
export const trouble = (reply, what) => new ServerError(`${what}: status ${reply.status}`, retryAfter(reply));

/**
 * The address of a server, checked: https, or http on this machine, or where the app says that plain http is fine.
 *
 * @param {string} server
 * @param {boolean} [plainHttp]
 */
export function checkedAddress(server, plainHttp) {
  must(plainHttp || /^https:|^http:..(localhost|127.0.0.1|\[::1])[:/]/.test(`${server}/`), "server: https", TypeError);
  return server.replace(/\/+$/, "");
}

/**
 * Read a body that a hostile server cannot make endless.
 *
 * @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} stream
 * @param {number} most
 */
async function readBounded(stream, most) {
  const chunks = [];
  const reader = stream?.getReader();
  for (let chunk; reader && !(chunk = await reader.read()).done; chunks.push(chunk.value)) {
    if ((most -= chunk.value.length) < 0) await reader.cancel();
    must(most >= 0, "too large", ServerError);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @typedef {ReturnType<typeof serverAt>} Server */

/**
 * One aggregator: the requests of docs/protocol.md, and nothing else. Nothing that it sends is believed unchecked.
 *
 * @param {string} address
 * @param {import("./session.js").Session} session
 * @param {number} mostBytes of a document or a reply
 */
export function serverAt(address, session, mostBytes) {
  /**
   * Send a request, and return its reply, which must have this status if one is given.
   *
   * Without cookies or caches; a redirect could carry the credential away.
   *
   * @param {string} method @param {string} path @param {number} [status] @param {Identity} [identity] @param {object} [body]
   * @returns {Promise<Reply>}
   */
  const send = async (method, path, status, identity, body) => {
    if (method !== "DELETE") await needConsent(session);
    const { fetch = globalThis.fetch } = session.options;
    let reply, timer;
    // In Node an aborted fetch may wait for ever for the rest of a body: so it is raced, too.
    const tooLate = new Promise((_, reject) => (timer = setTimeout(reject, LONGEST_EXCHANGE, "TimeoutError")));
    const exchange = async () => {
      const response = await fetch(`${address}/v1/${path}`, {
        method,
        headers: {
          "Harmony-Protocol": `${PROTOCOL}`,
          ...(identity && { Authorization: `Harmony ${identity.device}.${identity.credential}` }),
          ...(body && { "Content-Type": "application/json" }),
        },
        body: body && JSON.stringify(body),
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(LONGEST_EXCHANGE),
      });
      return { status: response.status, headers: response.headers, body: await readBounded(response.body, mostBytes) };
    };
    try {
      reply = await Promise.race([exchange(), tooLate]);
    } catch (error) {
      throw new ServerError(`no answer to ${method} ${path}: ${error}`);
    } finally {
      clearTimeout(timer);
    }
    if (status && reply.status !== status) throw trouble(reply, path);
    return reply;
  };

  /** @param {Reply} reply */
  const issued = (reply) => {
    const identity = readIdentity(parse(reply.body, mostBytes), address);
    must(identity, "device or credential");
    return identity;
  };

  return {
    address,
    mostBytes,

    /** Ask for an id and a credential. @param {string} [key] */
    enrol: async (key) => issued(await send("POST", "devices", 201, undefined, { key })),

    /** Ask for a credential under the server's newest key; without one, keep the old. @param {Identity} identity */
    renew: async (identity) => {
      const reply = await send("POST", "devices/me", 0, identity, {});
      if (reply.status !== 200) return identity;
      const renewed = issued(reply);
      must(renewed.device === identity.device, "device");
      return renewed;
    },

    /** The surveys that are open, and the trainings that run. */
    listing: async () => readListing(parse((await send("GET", "surveys", 200)).body, mostBytes)),

    /** A survey document, as bytes that nobody has checked yet. @param {string} name */
    document: async (name) => {
      const reply = await send("GET", `surveys/${name}`);
      must(!isGone(reply), "no document");
      if (reply.status !== 200) throw trouble(reply, name);
      return reply.body;
    },

    /** A training's step, or when to ask again. @param {Identity} identity @param {string} training */
    task: (identity, training) => send("GET", `trainings/${training}/task`, 0, identity),

    /** Hand in a report. @param {Identity} identity @param {import("./outbox.js").Waiting} waiting */
    report: (identity, { survey, round, report }) => send("POST", `surveys/${survey}/reports`, 0, identity, { round, report }),

    /** Ask for this device's enrolment and reports to be deleted. @param {Identity} identity */
    delete: (identity) => send("DELETE", "devices/me", 0, identity),
  };
}
