/**
 * The record: what an app can tell about its device, the same for all of its users.
 */

/**
 * @typedef {Record<string, "number" | "string" | "boolean">} Told names, each with the type of its values
 */

/**
 * Whether a record has everything that is asked for, in the type that it is asked in.
 *
 * @param {Told} record
 * @param {import("./attribute.js").Attribute[]} attributes
 */
export const tells = (record, attributes) => attributes.every(({ name, kind, asks }) => kind !== "signed" && record[name] === asks);
