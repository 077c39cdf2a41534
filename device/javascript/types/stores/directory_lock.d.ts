/**
 * Hold a lock while an action runs.
 *
 * @template T
 * @param {string} lock the path of its folder
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T>}
 */
export function locked<T>(lock: string, action: () => T | Promise<T>): Promise<T>;
export function newHolder(): string;
