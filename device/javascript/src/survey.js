import { answer, readAttribute } from "./attribute.js";
import { rows, signOf } from "./codes.js";
import { must } from "./errors.js";
import { floorOfExp, keeps } from "./proof.js";
import { distinct, integer, isName, list, object } from "./rules.js";
import { readTable } from "./tables.js";

/**
 * @typedef {object} Questions what a survey, or a step, asks a device
 * @property {import("./attribute.js").Attribute[]} needs what the app's record must tell
 * @property {(told: Map<string, unknown>, random: import("./report.js").Random) => (number | undefined)[]} read
 *   the answer of each of the survey's attributes, as codes take it; undefined where it is drawn
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
 * @property {import("./attribute.js").Attribute[]} attributes
 * @property {number[]} coins the weight of each attribute
 * @property {Mechanism[][]} mechanisms by attribute and tier
 * @property {number} width bytes of a symbol
 */

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
  const tiers = list(several ?? [epsilon], 1, 16, several ? "tiers" : "epsilon", (tier) => {
    must(Number.isFinite(tier) && tier >= 0.0001 && tier <= 20, "epsilon");
    return tier;
  });
  distinct(tiers, "tiers");
  const tables = list(value.tables, 1, 160000, "tables", readTable);
  must(tables.reduce((sum, { rows, symbols }) => sum + rows.length * symbols, 0) <= 2 ** 20, "tables");
  /** @type {Mechanism[][]} */
  const mechanisms = [];
  const coins = /** @type {number[]} */ ([]);
  const attributes = list(value.attributes, 1, 10000, "attributes", (document, i) => {
    const attribute = readAttribute(document);
    coins[i] = integer(document.coin, 1, 65536, "coin");
    mechanisms[i] = list(document.mechanisms, tiers.length, tiers.length, "mechanisms", (each) => readMechanism(object(each), attribute, tables));
    return attribute;
  });
  distinct(attributes.map((attribute) => attribute.name), "attributes: name");
  integer(answers, 1, attributes.length, "answers");
  tiers.forEach((tier, i) => {
    const floor = floorOfExp(tier, answers);
    for (const table of new Set(mechanisms.map((each) => each[i].table))) {
      must(keeps(table, floor), "epsilon of a table");
    }
  });
  const width = mechanisms.flat().some(({ table }) => table.symbols > 256) ? 2 : 1;
  return {
    name,
    tiers,
    answers,
    attributes,
    coins,
    mechanisms,
    width,
    needs: attributes,
    read: (told) => attributes.map((attribute) => answer(attribute, told.get(attribute.name))),
  };
}

/**
 * @param {any} value
 * @param {import("./attribute.js").Attribute} attribute
 * @param {import("./tables.js").Table[]} tables
 * @returns {Mechanism}
 */
function readMechanism(value, { kind, bins, answers, places }, tables) {
  const { base, digits, multipliers } = value;
  const table = tables[integer(value.table, 0, tables.length - 1, "table")];
  const isGrid = kind === "numeric" && !bins;
  const isSigned = kind === "signed";
  must((value.signed ?? false) === isSigned, "signed");
  must(value.code === (isGrid ? "grid" : "linear"), "code");
  if (isGrid) {
    must(table.dense, "table: dense");
    must(integer(value.points, 2, 65536, "points") === table.inputs, "points");
    return { table, rows: 1 };
  }
  must(integer(base, 2, 65536, "base") === table.inputs, "base");
  must(base ** (integer(digits, 1, 32, "digits") - 1) < 2 ** 32 && base ** digits >= answers, "digits");
  list(multipliers, 1, Infinity, "multipliers", (each) => integer(each, 1, base - 1, "range"));
  must(!isSigned || base * multipliers.length === 2, "base or multipliers");
  must(!isSigned || 2 ** (digits - 1) === signOf(places.size), "digits");
  return { table, code: value, rows: integer(rows(value), 1, 2 ** 31, "digits: rows") };
}
