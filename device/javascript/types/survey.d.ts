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
export function readSurvey(value: any): Survey;
/**
 * what a survey, or a step, asks a device
 */
export type Questions = {
    /**
     * what the app's record must tell
     */
    needs: import("./attribute.js").Attribute[];
    /**
     *   the answer of each of the survey's attributes, as codes take it; undefined where it is drawn
     */
    read: (told: Map<string, unknown>, random: import("./report.js").Random) => (number | undefined)[];
};
export type Mechanism = {
    table: import("./tables.js").Table;
    /**
     * how many rows the coin draws from
     */
    rows: number;
    /**
     * a linear code; a grid without
     */
    code?: import("./codes.js").Linear | undefined;
};
export type Survey = Questions & SurveyOnly;
export type SurveyOnly = {
    name: string;
    /**
     * the epsilon of each tier
     */
    tiers: number[];
    answers: number;
    attributes: import("./attribute.js").Attribute[];
    /**
     * the weight of each attribute
     */
    coins: number[];
    /**
     * by attribute and tier
     */
    mechanisms: Mechanism[][];
    /**
     * bytes of a symbol
     */
    width: number;
};
