import { must, ServerError } from "./errors.js";
import { readIdentity } from "./identity.js";
import { parse } from "./json.js";
import { PROTOCOL, readListing } from "./listing.js";

/** @typedef {import("./identity.js").Identity} Identity */
/** @typedef {import("./transport.js").Reply} Reply */

/** Refusals that no second attempt will change: the report is dropped. @type {Record<number, string>} */
export const NEVER = { 403: "forbidden", 409: "conflict", 410: "closed", 413: "too-large", 422: "malformed" };

/** How many seconds a server asks to be left alone, in a number or a date. @param {Reply} reply */
export function retryAfter({ headers }) {
  const text = headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(text) ? +text : (Date.parse(text) - Date.now()) / 1000;
  return seconds > 0 ? seconds : 0;
}

/** The error for a reply that asks to come back later. @param {Reply} reply @param {string} what */
export const trouble = (reply, what) =>
  Object.assign(new ServerError(`${what}: status ${reply.status}`), { retryAfter: retryAfter(reply) });

/** @typedef {ReturnType<typeof serverAt>} Server */

/**
 * One aggregator: the requests of docs/protocol.md, and nothing else. Nothing that it sends is believed unchecked.
 *
 * @param {string} address
 * @param {import("./transport.js").Transport} transport
 * @param {number} mostBytes of a document
 */
export function serverAt(address, transport, mostBytes) {
  /**
   * Send a request, and return its reply, which must have this status if one is given.
   *
   * @param {string} method @param {string} path @param {number} [status] @param {Identity} [identity] @param {object} [body]
   */
  const send = async (method, path, status, identity, body) => {
    const reply = await transport(
      method,
      `/v1/${path}`,
      {
        "Harmony-Protocol": `${PROTOCOL}`,
        ...(identity && { Authorization: `Harmony ${identity.device}.${identity.credential}` }),
        ...(body && { "Content-Type": "application/json" }),
      },
      body && JSON.stringify(body),
    );
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
      const { device, credential } = issued(reply);
      must(device === identity.device, "device");
      return { ...identity, credential };
    },

    /** The surveys that are open, and the trainings that run. */
    listing: async () => readListing(parse((await send("GET", "surveys", 200)).body, mostBytes)),

    /** A survey document, as bytes that nobody has checked yet. @param {string} name */
    document: async (name) => (await send("GET", `surveys/${name}`, 200)).body,

    /** A training's step, or when to ask again. @param {Identity} identity @param {string} training */
    task: (identity, training) => send("GET", `trainings/${training}/task`, 0, identity),

    /** Hand in a report. @param {Identity} identity @param {import("./outbox.js").Waiting} waiting */
    report: (identity, { survey, round, report }) => send("POST", `surveys/${survey}/reports`, 0, identity, { round, report }),

    /** Ask for this device's enrolment and reports to be deleted. @param {Identity} identity */
    delete: (identity) => send("DELETE", "devices/me", 0, identity),
  };
}
