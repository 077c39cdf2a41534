/**
 * The limits of an owner, complete.
 *
 * @param {number | EpsilonLimit} limit a number bounds reports, rounds and 30 days alike
 * @returns {Required<EpsilonLimit>}
 */
export function checkedLimit(limit: number | EpsilonLimit): Required<EpsilonLimit>;
/**
 * The tier of most epsilon that no limit forbids; throws if all of them are forbidden.
 *
 * @param {number[]} tiers
 * @param {Required<EpsilonLimit>} limit
 * @param {import("./ledger.js").Spent[]} entries
 * @param {string} round the round's label
 * @param {number} now
 * @returns {number}
 */
export function chooseTier(tiers: number[], limit: Required<EpsilonLimit>, entries: import("./ledger.js").Spent[], round: string, now: number): number;
export function spentOn(entries: import("./ledger.js").Entry[]): number;
/**
 * the most epsilon to spend; a limit that is not given is as large as the next wider one
 */
export type EpsilonLimit = {
    perReport?: number | undefined;
    /**
     * in all rounds of one label
     */
    perRound?: number | undefined;
    /**
     * in any 30 days
     */
    per30Days: number;
};
