export function wordAt(bytes: Uint8Array, at: number): bigint;
export function below(draw: number | bigint, n: number): number;
export function top53(word: bigint): number;
export function fromHex(text: string): Uint8Array;
export function toHex(bytes: Uint8Array): string;
export function random(bytes: number): Uint8Array<ArrayBuffer>;
