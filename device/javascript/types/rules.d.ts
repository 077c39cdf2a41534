/**
 * Rules of documents: each refuses a document, by the field that breaks it.
 */
/**
 * Read each entry of a list, and let a refusal say which one it is about.
 *
 * @template T
 * @param {any} value @param {number} least @param {number} most @param {string} field
 * @param {(each: any, place: number) => T} [read]
 * @returns {T[]}
 */
export function list<T>(value: any, least: number, most: number, field: string, read?: (each: any, place: number) => T): T[];
/** @param {any} value @param {string} [field] @returns {Record<string, any>} */
export function object(value: any, field?: string): Record<string, any>;
/** @param {any} value @param {number} least @param {number} most @param {string} field @returns {number} */
export function integer(value: any, least: number, most: number, field: string): number;
/** @param {any} value @param {string} field @param {number} [above] @returns {number} */
export function finite(value: any, field: string, above?: number): number;
export function isObject(value: any): value is Record<string, any>;
export function rising(value: any, least: number, most: number, field: string): number[];
export function distinct(values: any[], field: string): void;
export function isString(value: any): value is string;
/** Whether this is text, and Unicode: JSON's escapes can spell half of a surrogate pair. */
export const isText: (value: any) => value is string;
/** Whether this names a survey or a training. */
export const isName: (value: any) => value is string;
/** Whether this labels a round. */
export const isLabel: (value: any) => value is string;
/** Whether this is 16 bytes: a round's seed or a device's id. */
export const isHex16: (value: any) => value is string;
/** Whether this is a document's fingerprint. */
export const isFingerprint: (value: any) => value is string;
/** Whether this is a credential: text that cannot break out of the header that it is sent in. */
export const isCredential: (value: any) => value is string;
