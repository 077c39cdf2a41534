import { isCredential, isHex16, isString } from "./rules.js";
import { readJson } from "./stores/store.js";

/**
 * @typedef {object} Identity who this device is to one server
 * @property {string} server
 * @property {string} device its id, 32 lower-case hexadecimal digits
 * @property {string} credential
 * @property {number} renewed when the credential was issued, in seconds of the device's clock
 * @property {string} enrolled when, by the server's clock and in its writing
 */

export const IDENTITY = "identity.json";

/**
 * What an enrolment answered, or a file kept; undefined if it is no identity.
 *
 * @param {any} value
 * @param {string} [server]
 * @returns {Identity | undefined}
 */
export function readIdentity(value, server = value?.server) {
  const { device, credential, renewed, enrolled } = value ?? {};
  if (!isHex16(device) || !isCredential(credential) || !isString(server)) return;
  return {
    server,
    device: device.toLowerCase(),
    credential,
    renewed: +renewed || 0,
    enrolled: `${enrolled ?? ""}`,
  };
}

/** The identity that is kept; one that is damaged counts as none. @param {import("./stores/store.js").Files} files */
export const identityOf = (files) => readIdentity(readJson(files, IDENTITY));
