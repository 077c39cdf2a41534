/** Carry out what consent demands of the store, and say whether it is given. @param {Session} session */
export function settle(session: Session): Promise<boolean>;
/** Make sure of consent: before every request but a deletion, and before anything is spent. @param {Session} session */
export function needConsent(session: Session): Promise<void>;
/** Make sure that consent, and identity if there was one, are still there. @param {Files} files @param {Identity} [identity] */
export function needIdentity(files: Files, identity?: Identity): void;
export const NO_CONSENT: "consent is not given";
export function enrolled({ server, store, options }: Session): Promise<Identity>;
export type Identity = import("./identity.js").Identity;
export type Files = import("./stores/store.js").Files;
/**
 * what the parts of a device share
 */
export type Session = {
    server: import("./server.js").Server;
    store: import("./stores/store.js").Store;
    options: import("./device.js").Options;
    limit: Required<import("./limits.js").EpsilonLimit>;
};
