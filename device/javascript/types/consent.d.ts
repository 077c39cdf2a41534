/**
 * Who withdrew consent, if anyone did, and what the server has yet to delete. What cannot be read counts as withdrawn.
 *
 * @param {Files} files
 * @returns {Withdrawal}
 */
export function withdrawalOf(files: Files): Withdrawal;
/**
 * Delete everything but the ledger, and write down what the server must delete.
 *
 * @param {Files} files @param {Withdrawal["by"]} by who withdraws consent: only `rejoin` undoes what `forget` does
 */
export function withdraw(files: Files, by: Withdrawal["by"]): void;
/**
 * Carry out what consent demands of the files, and say whether it is given.
 *
 * @param {Files} files @param {boolean} given what the app says
 */
export function settleConsent(files: Files, given: boolean): boolean;
/** Forget the last of an identity: the server has deleted it. @param {Files} files @param {string} device */
export function confirmDeletion(files: Files, device: string): void;
/** The file of a survey document is this and its fingerprint. */
export const SURVEYS: "surveys/";
export function rejoin(files: Files): void;
export type Files = import("./stores/store.js").Files;
/**
 * an identity that the server has yet to delete
 */
export type Pending = import("./identity.js").Identity & {
    since: number;
};
export type Withdrawal = {
    by: "forget" | "consent" | null;
    pending: Pending[];
};
