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
 * @property {string} [key] the enrolment key, if the server asks for one
 * @property {boolean} [plainHttp] allow http on a network that is trusted
 * @property {number} [mostDocumentBytes] of a document or a reply, 1 MiB if not given
 * @property {typeof globalThis.fetch} [fetch] another one, for tests and proxies
 */
/**
 * One participant, whose whole state is in its store. Several tabs, workers or processes may share a store.
 */
export class Device {
    /** @param {string} server @param {Options} options */
    constructor(server: string, options: Options);
    /**
     * Answer each open survey once, take part once in each training, and say what happened. Never rejects.
     *
     * `values` is an object, or a function of an attribute's name; everything that a document asks for is read, whichever attribute the coin
     * asks. Nothing about a value decides what is sent: `visit.warnings` tells the app's developer.
     *
     * @param {Values} values
     * @param {{patience?: number}} [options] how many seconds this call may spend on waiting for further attempts
     * @returns {Promise<Visit>}
     */
    answer(values: Values, options?: {
        patience?: number;
    }): Promise<Visit>;
    /**
     * Send every waiting report, answering nothing new. Never rejects.
     *
     * @param {{patience?: number}} [options]
     * @returns {Promise<Visit>}
     */
    send(options?: {
        patience?: number;
    }): Promise<Visit>;
    /**
     * What was asked, when, and how much epsilon it spent, oldest first. Rejects if that is unknown.
     *
     * @returns {Promise<import("./ledger.js").Entry[]>}
     */
    ledger(): Promise<import("./ledger.js").Entry[]>;
    /**
     * Who this device is, what waits and what was spent. Never rejects: `trouble` says why the rest is unknown.
     *
     * @returns {Promise<import("./status.js").Status>}
     */
    status(): Promise<import("./status.js").Status>;
    /**
     * Withdraw consent: delete everything but the ledger, and ask the server to delete too. Rejects if it could not be deleted here.
     *
     * @returns {Promise<boolean>} whether the server has confirmed; if not, every later visit asks again
     */
    forget(): Promise<boolean>;
    /** Consent again after `forget`; the next visit enrols under a new identity. @returns {Promise<void>} */
    rejoin(): Promise<void>;
    #private;
}
export type Values = import("./record.js").Values;
export type Options = {
    /**
     *   What this app can tell, the same for all of its users: `{battery: Number, theme: String, wifi: Boolean}`. A survey that asks for
     *   something else is skipped; any other is answered, whatever the values are and whether they are there.
     */
    record: import("./record.js").Told;
    /**
     *   Or a function that is asked before every request. Without consent nothing is sent, and what was kept is deleted here and at the server.
     */
    consent: boolean | (() => boolean | Promise<boolean>);
    /**
     * the owner's; a number bounds reports, rounds and 30 days alike
     */
    epsilonLimit: number | import("./limits.js").EpsilonLimit;
    /**
     * the only documents to answer, each name with the fingerprint that the app's authors reviewed
     */
    surveys?: Record<string, string> | undefined;
    /**
     * where to keep state; IndexedDB if not given
     */
    store?: import("./stores/store.js").Store | undefined;
    /**
     * the enrolment key, if the server asks for one
     */
    key?: string | undefined;
    /**
     * allow http on a network that is trusted
     */
    plainHttp?: boolean | undefined;
    /**
     * of a document or a reply, 1 MiB if not given
     */
    mostDocumentBytes?: number | undefined;
    /**
     * another one, for tests and proxies
     */
    fetch?: typeof fetch | undefined;
};
import { Visit } from "./visit.js";
