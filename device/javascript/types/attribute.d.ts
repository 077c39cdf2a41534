/**
 * Read an attribute of a survey, a feature or a label: what it asks, without its mechanisms.
 *
 * @param {any} value
 * @returns {Attribute}
 */
export function readAttribute(value: any): Attribute;
/**
 * The answer of a number: itself within the range, or its bin.
 *
 * @param {Attribute} attribute
 * @param {number} value
 */
export function place({ low, high, bins }: Attribute, value: number): number;
/**
 * The answer that a value gives, whatever it is; undefined where the answer is drawn at random.
 *
 * @param {Attribute} attribute
 * @param {unknown} value
 * @returns {number | undefined}
 */
export function answer(attribute: Attribute, value: unknown): number | undefined;
/**
 * Add what an app's developer should know about a value, without telling it.
 *
 * @param {Set<string>} warnings
 * @param {Attribute} attribute
 * @param {unknown} value
 */
export function warn(warnings: Set<string>, { name, asks, kind, places }: Attribute, value: unknown): void;
export type Type = NumberConstructor | StringConstructor | BooleanConstructor;
export type Attribute = {
    name: string;
    kind: "numeric" | "categorical" | "signed";
    /**
     * the type of value that it reads; none where only a step derives the answer
     */
    asks: Type | undefined;
    low: number;
    high: number;
    bins?: number[] | null | undefined;
    /**
     * of the values
     */
    places: Map<any, number>;
    missing: any;
    unlisted: any;
    /**
     * how many answers there are to draw from; 0 for a grid, whose index is drawn
     */
    answers: number;
};
