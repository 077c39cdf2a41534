import { answer, readAttribute } from "./attribute.js";
import { rows, signOf } from "./codes.js";
import { must } from "./errors.js";
import { proveMemory } from "./memos.js";
import { extremes, floorOfExp, keeps } from "./proof.js";
import { distinct, integer, isName, list, object, within } from "./rules.js";
import { readTable } from "./tables.js";

/**
 * @typedef {object} Questions what a survey, or a step, asks a device
 * @property {import("./attribute.js").Attribute[]} needs what the app's record must tell
 * @property {(told: Map<string, unknown>, random: import("./report.js").Random) => (number | undefined)[][]} read
 *   the answers of each of the survey's attributes, one for each part, as codes take them; undefined where one is drawn
 *
 * @typedef {object} Mechanism
 * @property {import("./tables.js").Table} table
 * @property {number} rows how many rows the coin draws from
 * @property {import("./codes.js").Linear} [code] a linear code; a grid without
 * @property {import("./tables.js").Table} [replace] with memory: what each round sends for the symbol that is kept
 *
 * @typedef {Questions & SurveyOnly} Survey
 *
 * @typedef {object} SurveyOnly
 * @property {string} name
 * @property {number[]} tiers the epsilon of each tier
 * @property {number} answers
 * @property {Asked[]} attributes
 * @property {number} width bytes of a symbol
 * @property {number | null} [every] with rotation: a device answers one of so many rounds
 * @property {string} fingerprint of the document: its halves are two public seeds, of what is asked with memory, and of whose turn it is
 * @property {false | {memory: number, change: number}} remembers with memory: what all reports spend together while the answer stays, and each at worst
 *
 * @typedef {import("./attribute.js").Attribute & AskedOnly} Asked an attribute of a survey, which devices are asked
 *
 * @typedef {object} AskedOnly
 * @property {number} coin the weight of the attribute
 * @property {Mechanism[]} mechanisms one for each tier
 */

/** Kinds that an entry point adds. @type {import("./attribute.js").Kinds} */
export const kinds = new Map();

/**
 * Read a survey document and prove that every tier keeps its epsilon, or refuse it.
 *
 * @param {any} value what the document's JSON says
 * @param {string} [fingerprint] which a survey with rotation or memory needs
 * @returns {Survey}
 */
export function readSurvey(value, fingerprint = "") {
  const { name, epsilon, tiers: several, answers, every, memory, change } = object(value);
  must(value.format === "harmony-survey/1", "format");
  must(isName(name), "name");
  must((epsilon == null) !== (several == null), "epsilon or tiers");
  const tiers = list(several ?? [epsilon], 1, 16, "tiers", (tier) => within(tier, 0.0001, 20, "epsilon"));
  distinct(tiers, "tiers");
  if (every != null) integer(every, 2, 65536, "every");
  const remembers = (memory ?? change) != null;
  const tables = list(value.tables, 1, 160000, "tables", readTable);
  must(tables.reduce((sum, { rows, symbols }) => sum + rows.length * symbols, 0) <= 2 ** 20, "tables");
  const attributes = list(value.attributes, 1, 10000, "attributes", (document) => {
    const attribute = /** @type {Asked} */ (readAttribute(document, kinds));
    integer(attribute.coin, 1, 65536, "coin");
    attribute.mechanisms = list(document.mechanisms, tiers.length, tiers.length, "mechanisms", (each) => readMechanism(object(each), attribute, tables, remembers));
    return attribute;
  });
  distinct(attributes.map((attribute) => attribute.name), "attributes: name");
  integer(answers, 1, attributes.length, "answers");
  if (remembers) proveMemory(value, attributes);
  else {
    tiers.forEach((tier, i) => {
      const floor = floorOfExp(tier, answers);
      for (const table of new Set(attributes.map(({ mechanisms }) => mechanisms[i].table))) must(keeps(extremes(table), floor), "epsilon of a table");
    });
  }
  const width = attributes.some(({ mechanisms }) => mechanisms.some(({ table }) => table.symbols > 256)) ? 2 : 1;
  return {
    name,
    tiers,
    answers,
    attributes,
    width,
    every,
    fingerprint,
    remembers: remembers && { memory, change },
    needs: attributes.flatMap(({ parts }) => parts),
    read: (told) => attributes.map(({ parts }) => parts.map((part) => answer(part, told))),
  };
}

/**
 * @param {any} value
 * @param {import("./attribute.js").Attribute} attribute
 * @param {import("./tables.js").Table[]} tables
 * @param {boolean} remembers
 * @returns {Mechanism}
 */
function readMechanism(value, { kind, answers, places }, tables, remembers) {
  const { base, digits, multipliers } = value;
  const tableAt = (/** @type {string} */ field, replaces = false) => {
    const read = tables[integer(value[field], 0, tables.length - 1, field)];
    must(read.replaces === replaces, field);
    return read;
  };
  const table = tableAt("table");
  must(remembers || value.replace == null, "replace");
  const replace = remembers ? tableAt("replace", true) : undefined;
  const isGrid = !answers;
  const isSigned = kind === "signed";
  must((value.signed ?? false) === isSigned, "signed");
  must(value.code === (isGrid ? "grid" : "linear"), "code");
  if (isGrid) {
    must(table.dense, "table: dense");
    must(value.points === table.inputs, "points");
    return { table, replace, rows: 1 };
  }
  must(base === table.inputs, "base");
  must(base ** (integer(digits, 1, 32, "digits") - 1) < 2 ** 32 && base ** digits >= answers, "digits");
  list(multipliers, 1, Infinity, "multipliers", (each) => integer(each, 1, base - 1, "range"));
  must(!isSigned || (base * multipliers.length === 2 && 2 ** (digits - 1) === signOf(places.size)), "base, digits or multipliers");
  return { table, replace, code: value, rows: integer(rows(value), 1, 2 ** 31, "digits: rows") };
}
