/**
 * Throw, unless it is so.
 *
 * @param {unknown} isSo
 * @param {string} message of the error; for a document that is refused, the field whose rule it is
 * @param {new (message: string) => Error} [Kind]
 * @returns {asserts isSo}
 */
export function must(isSo: unknown, message: string, Kind?: new (message: string) => Error): asserts isSo;
/**
 * What goes wrong, by whose doing. No message ever contains a private value.
 */
/** Anything that the device side of Harmony throws on purpose. */
export class DeviceError extends Error {
}
/** Why a survey or a training is not answered. */
export class Skipped extends DeviceError {
}
/** A document breaks a rule of docs/protocol.md: that of the field which is the message. */
export class Refused extends Skipped {
}
/** The server could not be reached, or answered something that a device cannot use. */
export class ServerError extends DeviceError {
    /** @param {string} message @param {number} [retryAfter] how many seconds the server asked to be left alone */
    constructor(message: string, retryAfter?: number);
    retryAfter: number;
}
export function reason(error: any): string;
