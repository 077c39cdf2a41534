import { answer, readAttribute } from "./attribute.js";
import { rows, signOf } from "./codes.js";
import { must } from "./errors.js";
import { floorOfExp, keeps } from "./proof.js";
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
 *
 * @typedef {Questions & SurveyOnly} Survey
 *
 * @typedef {object} SurveyOnly
 * @property {string} name
 * @property {number[]} tiers the epsilon of each tier
 * @property {number} answers
 * @property {Asked[]} attributes
 * @property {number} width bytes of a symbol
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
 * @returns {Survey}
 */
export function readSurvey(value) {
  const { name, epsilon, tiers: several, answers } = object(value);
  must(value.format === "harmony-survey/1", "format");
  must(isName(name), "name");
  must((epsilon == null) !== (several == null), "epsilon or tiers");
  const tiers = list(several ?? [epsilon], 1, 16, "tiers", (tier) => within(tier, 0.0001, 20, "epsilon"));
  distinct(tiers, "tiers");
  const tables = list(value.tables, 1, 160000, "tables", readTable);
  must(tables.reduce((sum, { rows, symbols }) => sum + rows.length * symbols, 0) <= 2 ** 20, "tables");
  const attributes = list(value.attributes, 1, 10000, "attributes", (document) => {
    const attribute = /** @type {Asked} */ (readAttribute(document, kinds));
    integer(attribute.coin, 1, 65536, "coin");
    attribute.mechanisms = list(document.mechanisms, tiers.length, tiers.length, "mechanisms", (each) => readMechanism(object(each), attribute, tables));
    return attribute;
  });
  distinct(attributes.map((attribute) => attribute.name), "attributes: name");
  integer(answers, 1, attributes.length, "answers");
  tiers.forEach((tier, i) => {
    const floor = floorOfExp(tier, answers);
    for (const table of new Set(attributes.map(({ mechanisms }) => mechanisms[i].table))) {
      must(keeps(table, floor), "epsilon");
    }
  });
  const width = attributes.some(({ mechanisms }) => mechanisms.some(({ table }) => table.symbols > 256)) ? 2 : 1;
  return {
    name,
    tiers,
    answers,
    attributes,
    width,
    needs: attributes.flatMap(({ parts }) => parts),
    read: (told) => attributes.map(({ parts }) => parts.map((part) => answer(part, told))),
  };
}

/**
 * @param {any} value
 * @param {import("./attribute.js").Attribute} attribute
 * @param {import("./tables.js").Table[]} tables
 * @returns {Mechanism}
 */
function readMechanism(value, { kind, answers, places }, tables) {
  const { base, digits, multipliers } = value;
  const table = tables[integer(value.table, 0, tables.length - 1, "table")];
  const isGrid = !answers;
  const isSigned = kind === "signed";
  must((value.signed ?? false) === isSigned, "signed");
  must(value.code === (isGrid ? "grid" : "linear"), "code");
  if (isGrid) {
    must(table.dense, "table: dense");
    must(value.points === table.inputs, "points");
    return { table, rows: 1 };
  }
  must(base === table.inputs, "base");
  must(base ** (integer(digits, 1, 32, "digits") - 1) < 2 ** 32 && base ** digits >= answers, "digits");
  list(multipliers, 1, Infinity, "multipliers", (each) => integer(each, 1, base - 1, "range"));
  must(!isSigned || (base * multipliers.length === 2 && 2 ** (digits - 1) === signOf(places.size)), "base, digits or multipliers");
  return { table, code: value, rows: integer(rows(value), 1, 2 ** 31, "digits: rows") };
}
