/** Remove the files that start so, unless they end in what is to be kept. @param {Files} files @param {string} prefix @param {string[]} [kept] */
export function keepOnly(files: Files, prefix: string, kept?: string[]): void;
/** What a file of JSON says; an empty object where there is none that can be read. @param {Files} files @param {string} name @returns {any} */
export function readJson(files: Files, name: string): any;
/**
 * A store: where a device keeps its files, durably. All stores keep the same ones, which docs/devices.md describes.
 *
 * @typedef {object} Store
 * @property {<T>(action: (files: Files) => T) => Promise<T>} change
 *   Run `action` on all files while nobody else does, in any tab, worker or process. What it changed is durable when the promise
 *   is fulfilled; where the platform has transactions, it is changed as a whole or not at all, and else in the order of the changes.
 * @property {<T>(action: (files: Files) => T) => Promise<T>} look
 *   Run `action`, which changes nothing. Where nothing was ever kept, this leaves nothing behind, either.
 * @property {<T>(action: () => Promise<T>) => Promise<T>} alone
 *   Run `action`, which may speak to a server, while no other tab, worker or process does the same.
 */
/**
 * Text files by name, within one transaction.
 *
 * @extends {Map<string, string>}
 */
export class Files extends Map<string, string> {
    constructor();
    constructor(entries?: readonly (readonly [string, string])[] | null | undefined);
    constructor();
    constructor(iterable?: Iterable<readonly [string, string]> | null | undefined);
    /** Keep an object as JSON. @param {string} name @param {object} value */
    put(name: string, value: object): void;
    /**
     * Add an object as a line of JSON, first cutting off the unfinished line that a crash may have left.
     *
     * @param {string} name @param {object} value
     */
    append(name: string, value: object): void;
}
export function namesOf(files: Files, prefix: string): string[];
/**
 * A store: where a device keeps its files, durably. All stores keep the same ones, which docs/devices.md describes.
 */
export type Store = {
    /**
     *   Run `action` on all files while nobody else does, in any tab, worker or process. What it changed is durable when the promise
     *   is fulfilled; where the platform has transactions, it is changed as a whole or not at all, and else in the order of the changes.
     */
    change: <T>(action: (files: Files) => T) => Promise<T>;
    /**
     *   Run `action`, which changes nothing. Where nothing was ever kept, this leaves nothing behind, either.
     */
    look: <T>(action: (files: Files) => T) => Promise<T>;
    /**
     *   Run `action`, which may speak to a server, while no other tab, worker or process does the same.
     */
    alone: <T>(action: () => Promise<T>) => Promise<T>;
};
