import { IDENTITY, identityOf, readIdentity } from "./identity.js";
import { note } from "./ledger.js";
import { OUTBOX } from "./outbox.js";
import { keepOnly, readJson } from "./stores/store.js";

/**
 * Withdrawn consent: what is deleted here at once, and at the server until it confirms.
 *
 * First it is written down which identity the server must delete, then the identity, the waiting reports, the memos and the documents go. Each step
 * may be repeated. The ledger stays: what was spent stays spent, and a device that joins again must not spend it twice.
 */

/** @typedef {import("./stores/store.js").Files} Files */
/** @typedef {import("./identity.js").Identity & {since: number}} Pending an identity that the server has yet to delete */
/** @typedef {{by: "forget" | "consent" | null, pending: Pending[]}} Withdrawal */

const WITHDRAWAL = "withdrawal.json";

/** The file of a survey document is this and its fingerprint. */
export const SURVEYS = "surveys/";

/** The file of what is kept for a survey with memory is this and its fingerprint. */
export const MEMOS = "memos/";

/**
 * Who withdrew consent, if anyone did, and what the server has yet to delete. What cannot be read counts as withdrawn.
 *
 * @param {Files} files
 * @returns {Withdrawal}
 */
export function withdrawalOf(files) {
  const { withdrawn_by: by, pending } = readJson(files, WITHDRAWAL);
  return {
    by: !files.has(WITHDRAWAL) ? null : [null, "consent"].includes(by) ? by : "forget",
    pending: Array.isArray(pending) ? pending.filter((one) => readIdentity(one)) : [],
  };
}

/** What the app says about consent is enough, once all is deleted. @param {Files} files @param {Withdrawal} withdrawal */
function keep(files, { by, pending }) {
  if (by === "forget" || pending.length) files.put(WITHDRAWAL, { withdrawn_by: by, pending });
  else files.delete(WITHDRAWAL);
}

/**
 * Delete everything but the ledger, and write down what the server must delete.
 *
 * @param {Files} files @param {Withdrawal["by"]} by who withdraws consent: only `rejoin` undoes what `forget` does
 */
export function withdraw(files, by) {
  const { pending } = withdrawalOf(files);
  const identity = identityOf(files);
  if (identity && !pending.some(({ device }) => device === identity.device)) {
    pending.push({ ...identity, since: Date.now() / 1000 });
    note(files, "forgotten");
  }
  keep(files, { by, pending });
  files.delete(IDENTITY);
  for (const each of [OUTBOX, MEMOS, SURVEYS]) keepOnly(files, each);
}

/**
 * Carry out what consent demands of the files, and say whether it is given.
 *
 * @param {Files} files @param {boolean} given what the app says
 */
export function settleConsent(files, given) {
  const { by } = withdrawalOf(files);
  const isGiven = given && by !== "forget";
  // Consent that is given again first finishes the withdrawal that a crash may have cut short.
  if (by || !given) withdraw(files, isGiven ? null : by ?? "consent");
  return isGiven;
}

/** Consent again, under a new identity. @param {Files} files */
export const rejoin = (files) => keep(files, { ...withdrawalOf(files), by: null });

/** Forget the last of an identity: the server has deleted it. @param {Files} files @param {string} device */
export function confirmDeletion(files, device) {
  const { by, pending } = withdrawalOf(files);
  keep(files, { by, pending: pending.filter((one) => one.device !== device) });
}
