/**
 * What one visit to the server did.
 *
 * A training's name stands for a survey's. `warnings` are for the app's developer: values that have no answer of their own, names
 * that are not in the record. They follow from the values, so they must not leave the device.
 */
export class Visit {
    /** Rounds that were answered now. @type {{survey: string, round: string}[]} */
    answered: {
        survey: string;
        round: string;
    }[];
    /** Rounds whose report the server has accepted now. @type {{survey: string, round: string}[]} */
    accepted: {
        survey: string;
        round: string;
    }[];
    /** Reports that the server will never take, and why. @type {{survey: string, round: string, why: string}[]} */
    dropped: {
        survey: string;
        round: string;
        why: string;
    }[];
    /** What was not answered, and why, by name. @type {Record<string, string>} */
    skipped: Record<string, string>;
    /** For the app's developer. @type {Set<string>} */
    warnings: Set<string>;
    /** How many reports are still to be acknowledged. */
    waiting: number;
    /** What kept the visit from ending well. @type {string | null} */
    trouble: string | null;
    /** In how many seconds another attempt may be made. @type {number | null} */
    nextAttempt: number | null;
}
