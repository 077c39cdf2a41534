/**
 * A device for each line of values on the standard input: it visits until it has taken part, and prints what came of it.
 *
 *     node tests/support/fleet.mjs SERVER EPSILON < VALUES.ndjson
 */
import { createInterface } from "node:readline";
import { MemoryStore } from "../../src/memory.js";
import { Device } from "../../src/node.js";
import { takePart } from "./take_part.mjs";

const [server, epsilon] = process.argv.slice(2);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await takePart(Device, server, Number(epsilon), new MemoryStore(), JSON.parse(line))));
}
