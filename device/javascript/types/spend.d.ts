/**
 * Spend epsilon on one report and keep it, or throw why not.
 *
 * The order is the privacy argument: the round is looked up in the ledger (never twice), the owner's limits are asked (never too much), the
 * epsilon is charged durably, only then is the report drawn, and it is stored before it is sent. A crash between any two steps can only lose a
 * report that was charged. Up to `read` nothing has looked at a value; after it, nothing that is decided does.
 *
 * @param {import("./session.js").Session} session
 * @param {import("./identity.js").Identity} identity
 * @param {import("./survey.js").Survey} survey
 * @param {string} name the survey's, or the training's
 * @param {{label: string, seed: string}} round
 * @param {string | undefined} once the round that is answered once; none if it is the whole training
 * @param {() => (number | undefined)[]} read the answers
 */
export function spend(session: import("./session.js").Session, identity: import("./identity.js").Identity, survey: import("./survey.js").Survey, name: string, { label, seed }: {
    label: string;
    seed: string;
}, once: string | undefined, read: () => (number | undefined)[]): Promise<void>;
