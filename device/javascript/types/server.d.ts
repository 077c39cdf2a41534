/** How many seconds a server asks to be left alone, in a number or a date. @param {Reply} reply */
export function retryAfter({ headers }: Reply): number;
/**
 * The address of a server, checked: https, or http on this machine, or where the app says that plain http is fine.
 *
 * @param {string} server
 * @param {boolean} [plainHttp]
 */
export function checkedAddress(server: string, plainHttp?: boolean): string;
/** @typedef {ReturnType<typeof serverAt>} Server */
/**
 * One aggregator: the requests of docs/protocol.md, and nothing else. Nothing that it sends is believed unchecked.
 *
 * @param {string} address
 * @param {import("./session.js").Session} session
 * @param {number} mostBytes of a document or a reply
 */
export function serverAt(address: string, session: import("./session.js").Session, mostBytes: number): {
    address: string;
    mostBytes: number;
    /** Ask for an id and a credential. @param {string} [key] */
    enrol: (key?: string) => Promise<import("./identity.js").Identity>;
    /** Ask for a credential under the server's newest key; without one, keep the old. @param {Identity} identity */
    renew: (identity: Identity) => Promise<import("./identity.js").Identity>;
    /** The surveys that are open, and the trainings that run. */
    listing: () => Promise<{
        surveys: ListedSurvey[];
        trainings: Listed[];
    }>;
    /** A survey document, as bytes that nobody has checked yet. @param {string} name */
    document: (name: string) => Promise<Uint8Array<ArrayBufferLike>>;
    /** A training's step, or when to ask again. @param {Identity} identity @param {string} training */
    task: (identity: Identity, training: string) => Promise<Reply>;
    /** Hand in a report. @param {Identity} identity @param {import("./outbox.js").Waiting} waiting */
    report: (identity: Identity, { survey, round, report }: import("./outbox.js").Waiting) => Promise<Reply>;
    /** Ask for this device's enrolment and reports to be deleted. @param {Identity} identity */
    delete: (identity: Identity) => Promise<Reply>;
};
/** @typedef {import("./identity.js").Identity} Identity */
/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {Headers} headers
 * @property {Uint8Array} body
 */
/** Refusals that no second attempt will change: the report is dropped. @type {Record<number, string>} */
export const NEVER: Record<number, string>;
export function isGone({ status }: Reply): boolean;
export function trouble(reply: Reply, what: string): ServerError;
export type Server = ReturnType<typeof serverAt>;
export type Identity = import("./identity.js").Identity;
export type Reply = {
    status: number;
    headers: Headers;
    body: Uint8Array;
};
import { ServerError } from "./errors.js";
