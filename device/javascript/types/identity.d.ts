/**
 * What an enrolment answered, or a file kept; undefined if it is no identity.
 *
 * @param {any} value
 * @param {string} [server]
 * @returns {Identity | undefined}
 */
export function readIdentity(value: any, server?: string): Identity | undefined;
/**
 * @typedef {object} Identity who this device is to one server
 * @property {string} server
 * @property {string} device its id, 32 lower-case hexadecimal digits
 * @property {string} credential
 * @property {number} renewed when the credential was issued, in seconds of the device's clock
 * @property {string} enrolled when, by the server's clock and in its writing
 */
export const IDENTITY: "identity.json";
export function identityOf(files: import("./stores/store.js").Files): Identity | undefined;
/**
 * who this device is to one server
 */
export type Identity = {
    server: string;
    /**
     * its id, 32 lower-case hexadecimal digits
     */
    device: string;
    credential: string;
    /**
     * when the credential was issued, in seconds of the device's clock
     */
    renewed: number;
    /**
     * when, by the server's clock and in its writing
     */
    enrolled: string;
};
