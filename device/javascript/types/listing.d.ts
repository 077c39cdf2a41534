/**
 * @typedef {object} Round
 * @property {string} label
 * @property {string} seed 32 hexadecimal digits
 * @property {string | null} [enrolled_before]
 *
 * @typedef {object} Listed a training that runs; with a fingerprint and a round, a survey that is open
 * @property {string} name
 * @property {number} epsilon the greatest that any report may spend
 *
 * @typedef {Listed & {fingerprint: string, round: Round}} ListedSurvey
 */
/**
 * The surveys and trainings of a server's list that are as they should be.
 *
 * @param {any} value
 * @returns {{surveys: ListedSurvey[], trainings: Listed[]}}
 */
export function readListing(value: any): {
    surveys: ListedSurvey[];
    trainings: Listed[];
};
/** The number of the protocol that this SDK speaks. */
export const PROTOCOL: 1;
export function isOpenTo({ enrolled_before: before }: Round, enrolled: string): boolean;
export type Round = {
    label: string;
    /**
     * 32 hexadecimal digits
     */
    seed: string;
    enrolled_before?: string | null | undefined;
};
/**
 * a training that runs; with a fingerprint and a round, a survey that is open
 */
export type Listed = {
    name: string;
    /**
     * the greatest that any report may spend
     */
    epsilon: number;
};
export type ListedSurvey = Listed & {
    fingerprint: string;
    round: Round;
};
