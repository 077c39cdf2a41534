/** Ask the server to delete what consent was withdrawn for. @param {Session} session */
export function finishWithdrawals({ server, store }: Session): Promise<void>;
/** Send every waiting report, oldest first. @param {Session} session @param {Visit} visit */
export function sendWaiting(session: Session, visit: Visit): Promise<void>;
export type Session = import("./session.js").Session;
export type Visit = import("./visit.js").Visit;
