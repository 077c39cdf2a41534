import assert from "node:assert/strict";
import { test } from "node:test";
import { vectorFiles } from "./support/vector_files.mjs";
import { check } from "./support/vectors.mjs";

test("every conformance vector", async (test) => {
  const { counts, failed } = await check(vectorFiles);
  for (const [part, count] of Object.entries(counts)) test.diagnostic(`${part}: ${count}`);
  test.diagnostic(`vectors: ${Object.values(counts).reduce((sum, count) => sum + count)}`);
  assert.deepEqual(failed, []);
});
