import { readAttribute } from "./attribute.js";
import { rows, signOf } from "./codes.js";
import { floorOfExp, keeps } from "./proof.js";
import { finite, integer, isName, list, object, refuse } from "./refusal.js";
import { readTable } from "./tables.js";

/**
 * @typedef {object} Mechanism
 * @property {import("./tables.js").Table} table
 * @property {number} rows how many rows the coin draws from
 * @property {import("./codes.js").Linear} [code] a linear code; a grid without
 *
 * @typedef {object} Survey
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
  const document = object(value, "the survey");
  if (document.format !== "harmony-survey/1") refuse("format", "harmony-survey/1");
  const { name } = document;
  if (!isName(name)) refuse("name", "1 to 100 letters, digits, '.', '_' or '-'");
  const tiers = readTiers(document);
  const tables = list(document.tables, 1, 160000, "tables").map((table, i) => readTable(table, `tables[${i}]`));
  if (tables.reduce((sum, { rows, symbols }) => sum + rows.length * symbols, 0) > 2 ** 20) refuse("tables", "of at most 2^20 counts in all");
  const coins = /** @type {number[]} */ ([]);
  const names = new Set();
  const attributes = list(document.attributes, 1, 10000, "attributes").map((each, i) => {
    const attribute = readAttribute(each, `attributes[${i}]`);
    if (names.size === names.add(attribute.name).size) refuse(`attributes[${i}].name`, "different from the others");
    coins.push(integer(each.coin, 1, 65536, `attributes[${i}].coin`));
    return attribute;
  });
  const answers = integer(document.answers, 1, attributes.length, "answers");
  const mechanisms = attributes.map((attribute, i) => {
    const field = `attributes[${i}].mechanisms`;
    return list(document.attributes[i].mechanisms, tiers.length, tiers.length, field).map((each, tier) =>
      readMechanism(each, attribute, tables, `${field}[${tier}]`),
    );
  });
  tiers.forEach((epsilon, tier) => {
    const floor = floorOfExp(epsilon, answers);
    for (const table of new Set(mechanisms.map((each) => each[tier].table))) {
      if (!keeps(table, floor)) refuse(`tables[${tables.indexOf(table)}]`, `within epsilon / answers = ${epsilon} / ${answers}`);
    }
  });
  const width = mechanisms.flat().some(({ table }) => table.symbols > 256) ? 2 : 1;
  return { name, tiers, answers, attributes, coins, mechanisms, width };
}

/** @param {Record<string, any>} document @returns {number[]} */
function readTiers({ epsilon, tiers }) {
  if ((epsilon == null) === (tiers == null)) refuse("epsilon", "there, or tiers in its place");
  const field = epsilon == null ? "tiers" : "epsilon";
  const all = list(tiers ?? [epsilon], 1, 16, field);
  if (new Set(all).size < all.length || !all.every((each) => finite(each, field) >= 0.0001 && each <= 20)) {
    refuse(field, "from 0.0001 to 20, and different");
  }
  return all;
}

/**
 * @param {any} value
 * @param {import("./attribute.js").Attribute} attribute
 * @param {import("./tables.js").Table[]} tables
 * @param {string} field
 * @returns {Mechanism}
 */
function readMechanism(value, attribute, tables, field) {
  const { code, table: at, points, base, digits, multipliers, signed = null } = object(value, field);
  const table = tables[integer(at, 0, tables.length - 1, `${field}.table`)];
  const isSigned = attribute.kind === "signed";
  if ((signed === true) !== isSigned || (signed !== null && typeof signed !== "boolean")) refuse(`${field}.signed`, "true in signed attributes only");
  if (attribute.kind === "numeric" && !attribute.bins) {
    if (code !== "grid") refuse(`${field}.code`, "grid");
    if (integer(points, 2, 65536, `${field}.points`) !== table.inputs) refuse(`${field}.points`, "the inputs of its table");
    if (!table.dense) refuse(`${field}.table`, "dense");
    return { table, rows: 1 };
  }
  if (code !== "linear") refuse(`${field}.code`, "linear");
  if (integer(base, 2, 65536, `${field}.base`) !== table.inputs) refuse(`${field}.base`, "the inputs of its table");
  if (base ** (integer(digits, 1, 32, `${field}.digits`) - 1) >= 2 ** 32 || base ** digits < attribute.answers) {
    refuse(`${field}.digits`, "enough for the values, and base^(digits - 1) below 2^32");
  }
  list(multipliers, 1, Infinity, `${field}.multipliers`).forEach((each) => integer(each, 1, base - 1, `${field}.multipliers`));
  if (isSigned) {
    if (base !== 2) refuse(`${field}.base`, "2 in a signed code");
    if (2 ** (digits - 1) !== signOf(attribute.values.length)) refuse(`${field}.digits`, "1 + log2 K in a signed code");
    if (multipliers.length > 1) refuse(`${field}.multipliers`, "[1] in a signed code");
  }
  const linear = { base, digits, multipliers, signed: isSigned };
  return { table, code: linear, rows: integer(rows(linear), 1, 2 ** 31, `${field}: rows`) };
}
