import { must, Skipped } from "./errors.js";
import { MOST_BYTES } from "./json.js";
import { entriesOf, isDone, note } from "./ledger.js";
import { chooseTier } from "./limits.js";
import { memoOf } from "./memos.js";
import { fileOf, OUTBOX } from "./outbox.js";
import { ask, randomise, reportBytes } from "./report.js";
import { isTurn } from "./rotation.js";
import { needConsent, needIdentity } from "./session.js";
import { bytesOf } from "./stores/store.js";
import { fromHex, random, toHex } from "./words.js";

/** Names that a line of the ledger tells, and how many more there were: it is kept for ever. @param {string[]} names */
const told = (names) => (names.length > 20 ? [...names.slice(0, 20), `and ${names.length - 20} more`] : names);

/**
 * Spend epsilon on one report and keep it, or throw why not.
 *
 * The order is the privacy argument: the round is looked up in the ledger (never twice, and with rotation never near another), the owner's
 * limits are asked (never too much), a memo that is missing is drawn and kept, the epsilon is charged durably, only then is the report drawn, and
 * it is stored before it is sent. A crash between any two steps can only lose a report that was charged, or leave a memo that the next one is
 * made of. Up to `read` nothing has looked at a value; after it, nothing that is decided does.
 *
 * @param {import("./session.js").Session} session
 * @param {import("./identity.js").Identity} identity
 * @param {import("./survey.js").Survey} survey
 * @param {string} name the survey's, or the training's
 * @param {{label: string, seed: string, number?: number | null}} round
 * @param {string | undefined} once the round that is answered once; none if it is the whole training
 * @param {() => (number | undefined)[][]} read the answers
 */
export async function spend(session, identity, survey, name, { label, seed, number }, once, read) {
  const { store, limit } = session;
  await needConsent(session);
  const answers = read();
  const device = fromHex(identity.device);
  const now = Date.now();
  const { tier, asked, memo } = await store.change((files) => {
    needIdentity(files, identity);
    const entries = entriesOf(files);
    must(!isDone(entries, name, once), "already answered", Skipped);
    must(isTurn(survey, device, name, number, entries), "not its turn", Skipped);
    must(bytesOf(files, OUTBOX) + 2 * reportBytes(survey) < MOST_BYTES, "too many reports wait", Skipped);
    const memo = memoOf(files, survey, device);
    const charges = survey.tiers.map((epsilon) => ({ epsilon, ...memo?.charge }));
    const tier = chooseTier(charges, limit, entries, label, now);
    const asked = ask(survey, tier, fromHex(seed), device);
    memo?.keep();
    note(files, "answered", {
      survey: name,
      round: label,
      ...charges[tier],
      asked: told(asked.map(([attribute]) => survey.attributes[attribute].name)),
      number: number ?? undefined,
    });
    return { tier, asked, memo };
  });
  const report = toHex(randomise(survey, device, tier, answers, asked, random, memo?.words));
  await store.change((files) => {
    needIdentity(files, identity);
    files.put(fileOf(name, label), { survey: name, round: label, report, at: now / 1000 });
  });
}
