/**
 * Inputs with their expected releases. `one-page` keeps all files. The others keep what depends on their records;
 * their SHA256SUMS holds the digests of the rest. `UPDATE=1 npm test` writes what a build makes, for a person to review.
 */
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { sha256 } from "../src/release/plain-files.js";
import { buildCase, CASE_FOLDERS } from "./support/cases.js";
import { readTree } from "./support/files.js";

const WHOLE = "one-page";
const KEPT = /(?:^|\/)pages\/|^(?:SHA256SUMS|snapshot\.json|records\.sha256|problems\.ndjson|refusal\.txt)$/;
const isUpdate = process.env["UPDATE"] === "1";

test("expected releases are not rewritten in CI", () => {
  expect(isUpdate && process.env["CI"]).toBeFalsy();
});

test.each([...CASE_FOLDERS])("%s gives its expected release, file for file and byte for byte", async (name, folder) => {
  const actual = await buildCase(folder);
  const expected = join(folder, "expected");
  if (isUpdate) {
    replaceFolder(actual, expected);
    const dropped = [...readTree(expected).keys()].filter((path) => name !== WHOLE && !KEPT.test(path));
    for (const path of dropped) rmSync(join(expected, path));
  }
  expect(existsSync(expected), "run UPDATE=1 npm test, then review what it wrote").toBe(true);

  const [found, kept] = [readTree(actual), readTree(expected)];
  const listed = [...(kept.get("SHA256SUMS") ?? "").matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)];
  const digests = new Map([...listed.map(([, digest = "", path = ""]) => [path, digest] as const), ...digestsOf(kept)]);
  // Left beside the case, to compare with one-page. Git ignores it.
  replaceFolder(isDeepStrictEqual(digestsOf(found), digests) ? undefined : actual, `${folder}.actual`);
  for (const [path, text] of kept) expect(found.get(path), path).toBe(text);
  expect(digestsOf(found)).toEqual(digests);
});

function digestsOf(files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...files].map(([path, text]) => [path, sha256(text)]));
}

function replaceFolder(from: string | undefined, to: string): void {
  rmSync(to, { recursive: true, force: true });
  if (from) cpSync(from, to, { recursive: true });
}
