import { must, Skipped } from "./errors.js";

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
export function mustTell(record, attributes) {
  for (const { reads, asks } of attributes) must(asks && record[reads] === asks, `asks for '${reads}', a ${asks?.name}`, Skipped);
}

/**
 * The values of some attributes, each name read once; whatever fails to be read is missing.
 *
 * @param {Values} values
 * @param {Attribute[]} attributes
 * @returns {Map<string, unknown>}
 */
export function snapshot(values, attributes) {
  const told = new Map();
  for (const name of new Set(attributes.map(({ reads }) => reads))) {
    try {
      const value = typeof values === "function" ? values(name) : values[name];
      told.set(name, value);
      // A promise is no value, and one that is rejected must not end the app.
      Promise.resolve(value).catch(() => {});
    } catch {
      // Whatever an app's function throws may depend on the value.
    }
  }
  return told;
}
