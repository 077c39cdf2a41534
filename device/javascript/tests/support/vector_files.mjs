import { readFileSync } from "node:fs";
import { FILES } from "./vectors.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8"));

/** The conformance vectors, by the name of their file. */
export const vectorFiles = Object.fromEntries(FILES.map((name) => [name, read(name)]));
