/**
 * @typedef {object} Score a public linear model over the features
 * @property {number} intercept
 * @property {(number | number[])[]} weights in the order of the features, one for each level of a categorical one
 *
 * @typedef {import("./survey.js").Questions & StepOnly} Step
 *
 * @typedef {object} StepOnly
 * @property {string} training
 * @property {import("./survey.js").Survey} survey
 * @property {{label: string, seed: string}} round
 */
/**
 * Read a step of a training, or refuse it.
 *
 * @param {any} value
 * @returns {Step}
 */
export function readStep(value: any): Step;
/**
 * a public linear model over the features
 */
export type Score = {
    intercept: number;
    /**
     * in the order of the features, one for each level of a categorical one
     */
    weights: (number | number[])[];
};
export type Step = import("./survey.js").Questions & StepOnly;
export type StepOnly = {
    training: string;
    survey: import("./survey.js").Survey;
    round: {
        label: string;
        seed: string;
    };
};
