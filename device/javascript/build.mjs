/**
 * Bundles the SDK for browsers; with --check, fails when a bundle has outgrown its limit.
 *
 *     node build.mjs [--check] [--out DIRECTORY]
 */
import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Bytes, minified and gzipped. */
const BUNDLES = [
  { entry: "src/core.js", file: "core.min.js", most: 3 * 1000, what: "core: coins, codes, tables, proof" },
  { entry: "src/surveys.js", file: "device.min.js", most: 10 * 1000, what: "surveys of every kind" },
  { entry: "src/index.js", file: "full.min.js", most: 11.5 * 1000, what: "the whole SDK, with trainings" },
  { entry: "src/explorations.js", file: "explorations.min.js", most: 12.5 * 1000, what: "the whole SDK, with explorations, too" },
];

const { values: options } = parseArgs({ options: { check: { type: "boolean" }, out: { type: "string", default: join(HERE, "dist") } } });
mkdirSync(options.out, { recursive: true });
let isTooLarge = false;
for (const { entry, file, most, what } of BUNDLES) {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, entry)],
    bundle: true,
    charset: "utf8",
    format: "esm",
    legalComments: "none",
    minify: true,
    target: "es2022",
    write: false,
  });
  // Terser's names repeat more, and compress by 4% better. "Unsafe" is for functions that are called with new, of which there are none.
  const { code } = await minify(outputFiles[0].text, { module: true, ecma: 2020, compress: { passes: 5, unsafe_arrows: true, unsafe_methods: true } });
  const content = Buffer.from(code);
  writeFileSync(join(options.out, file), content);
  const size = gzipSync(content, { level: 9 }).length;
  const verdict = size > most ? "TOO LARGE" : "fits";
  console.log(`${file}: ${content.length} bytes minified, ${size} gzipped, of ${most}: ${verdict} (${what})`);
  isTooLarge ||= size > most;
}
process.exitCode = options.check && isTooLarge ? 1 : 0;
