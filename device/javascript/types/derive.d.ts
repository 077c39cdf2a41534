/**
 * Read how an attribute of a step's survey is derived, or refuse it.
 *
 * A label is a product of one term within its bound of 1; a gradient is such a product times a number, or with a level. So three kinds of
 * attribute take three kinds of answer: a number, a place, or a level with a sign.
 *
 * @param {any} value
 * @param {Attribute} attribute
 * @param {Attribute[]} features
 * @returns {Derivation}
 */
export function readDerivation(value: any, attribute: Attribute, features: Attribute[]): Derivation;
/**
 * What a device knows of itself in a step, from its values and 8 random bytes, which are read before the values, whatever these are.
 *
 * @param {Attribute[]} features
 * @param {Attribute} target the label
 * @param {import("./step.js").Score} model
 * @param {import("./step.js").Score} direction
 * @param {Map<string, unknown>} told
 * @param {import("./report.js").Random} random
 * @returns {Seen}
 */
export function look(features: Attribute[], target: Attribute, model: import("./step.js").Score, direction: import("./step.js").Score, told: Map<string, unknown>, random: import("./report.js").Random): Seen;
export type Attribute = import("./attribute.js").Attribute;
/**
 * what a device knows of itself in a step
 */
export type Seen = {
    /**
     * x in [-1, 1], or a level; NaN for a level that it lacks
     */
    features: number[];
    /**
     * NaN for those that are made of a label that it lacks
     */
    terms: Record<string, number>;
    /**
     * a uniform number in [0, 1)
     */
    chance: number;
};
/**
 * an answer, as codes take it; undefined where it is drawn
 */
export type Derivation = (seen: Seen) => number | undefined;
