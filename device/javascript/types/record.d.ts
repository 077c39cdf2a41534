/**
 * The record: what an app can tell about its device, declared in its code.
 *
 * Names and types are the same for all users of an app, so what follows from them tells nothing about any of them.
 */
/** @typedef {import("./attribute.js").Attribute} Attribute */
/** @typedef {Record<string, import("./attribute.js").Type>} Told */
/** @typedef {Record<string, unknown> | ((name: string) => unknown)} Values */
/**
 * Make sure that a record tells all that a document asks for.
 *
 * @param {Told} record
 * @param {Attribute[]} attributes
 */
export function mustTell(record: Told, attributes: Attribute[]): void;
/**
 * The values of some attributes, each name read once; whatever fails to be read is missing.
 *
 * @param {Values} values
 * @param {Attribute[]} attributes
 * @returns {Map<string, unknown>}
 */
export function snapshot(values: Values, attributes: Attribute[]): Map<string, unknown>;
export type Attribute = import("./attribute.js").Attribute;
export type Told = Record<string, import("./attribute.js").Type>;
export type Values = Record<string, unknown> | ((name: string) => unknown);
