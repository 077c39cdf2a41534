/**
 * Read one table of a survey document.
 *
 * @param {any} value
 * @returns {Table}
 */
export function readTable(value: any): Table;
/**
 * The symbol that a table gives for an index: how many running sums of its row the draw has reached.
 *
 * @param {Table} table
 * @param {number} index
 * @param {number} draw the highest 53 bits of the table word
 */
export function symbol({ dense, rows, inputs }: Table, index: number, draw: number): number;
export type Table = {
    /**
     * whether each index has a row of its own; otherwise one row is turned by the index
     */
    dense: boolean;
    /**
     * counts that sum to 2^53 in each row
     */
    rows: number[][];
    /**
     * how many indices it takes
     */
    inputs: number;
    /**
     * how many symbols it gives
     */
    symbols: number;
};
