/**
 * Inputs with their expected releases. `one-page` keeps all files, and an extract of openapi.json. The others keep what depends
 * on their records. SHA256SUMS holds the digests of the rest. `UPDATE=1 npm test` writes what a build makes, to be reviewed.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { sha256 } from "../src/core/release/plain-files.js";
import { buildCase, CASE_FOLDERS } from "./support/cases.js";
import { readTree } from "./support/files.js";

const WHOLE = "one-page";
const KEPT = /(?:^|\/)pages\/|^(?:SHA256SUMS|snapshot\.json|records\.sha256|problems\.ndjson|refusal\.txt)$/;
const OPENAPI = "openapi.json";
const EXTRACT = "openapi-extract.json";
const isUpdate = process.env["UPDATE"] === "1";

test("expected releases are not rewritten in CI", () => {
  expect(isUpdate && process.env["CI"]).toBeFalsy();
});

test.each([...CASE_FOLDERS])("%s gives its expected release, file for file and byte for byte", async (name, folder) => {
  const actual = await buildCase(folder);
  const expected = join(folder, "expected");
  if (name === WHOLE) writeFileSync(join(actual, EXTRACT), extractOf(readFileSync(join(actual, OPENAPI), "utf8")));
  if (isUpdate) {
    replaceFolder(actual, expected);
    const dropped = [...readTree(expected).keys()].filter(
      (path) => !(name === WHOLE ? path !== OPENAPI : KEPT.test(path)),
    );
    for (const path of dropped) rmSync(join(expected, path));
  }
  expect(existsSync(expected), "run UPDATE=1 npm test, then review what it wrote").toBe(true);

  const found = readTree(actual);
  const kept = readTree(expected);
  const listed = [...(kept.get("SHA256SUMS") ?? "").matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)];
  const digests = new Map([...listed.map(([, digest = "", path = ""]) => [path, digest] as const), ...digestsOf(kept)]);
  // Left beside the case, to compare with one-page. Git ignores it.
  replaceFolder(isDeepStrictEqual(digestsOf(found), digests) ? undefined : actual, `${folder}.actual`);
  for (const [path, text] of kept) expect(found.get(path), path).toBe(text);
  expect(digestsOf(found)).toEqual(digests);
});

/** The parts of openapi.json that are worth a review after each change: the listing, its parameters, a page and an error. */
function extractOf(text: string): string {
  const { info, paths, components } = JSON.parse(text);
  const { parameters, responses, schemas } = components;
  const extract = {
    info,
    paths: { "/api/users/": paths["/api/users/"] },
    parameters,
    responses: { Page: responses.Page, InvalidPage: responses.InvalidPage },
    schemas: { Page: schemas.Page, Error: schemas.Error },
  };
  return `${JSON.stringify(extract, null, 2)}\n`;
}

function digestsOf(files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...files].map(([path, text]) => [path, sha256(text)]));
}

function replaceFolder(from: string | undefined, to: string): void {
  rmSync(to, { recursive: true, force: true });
  if (from) cpSync(from, to, { recursive: true });
}
