/** A copy of what a host serves is verified as a release, except files known to be absent. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONTRACT, OPENAPI, RECORDS, SNAPSHOT, SUMS } from "../../src/release/layout.js";
import { verifyRelease } from "../../src/verify/release/release.js";
import { Findings, type Verdict } from "../../src/verify/verdict.js";
import { edit, FULL, page, plainRelease, readSnapshot, remake, reseal } from "../support/damage.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);

/** Removes files, and verifies the others. */
function verifyWithout(folder: string, paths: readonly string[], options: object = {}) {
  for (const path of paths) rmSync(join(folder, path), { recursive: true, force: true });
  const whyAbsent = (path: string) =>
    paths.some((absent) => path === absent || path.startsWith(`${absent}/`)) ? "the host does not serve it" : undefined;
  return verifyRelease({ folder, whyAbsent, ...options });
}

test("without records.sha256, pages must still give its listed digest", async () => {
  const folder = await plainRelease(FULL);
  const verdict = await verifyWithout(folder, [RECORDS]);
  expect(differing(verdict)).toEqual([]);
  for (const name of ["record-list", "bulk", "lookup", "explorer"])
    expect(row(verdict, name)).toMatchObject({ outcome: "passed" });

  const wrong = await plainRelease();
  edit(wrong, page(2), (text) => text.replace('"bio":"Notes."', '"bio":"other"'));
  const list = readFileSync(join(wrong, RECORDS));
  remake(wrong);
  writeFileSync(join(wrong, RECORDS), list);
  reseal(wrong);
  expect(differing(await verifyWithout(wrong, [RECORDS]))).toEqual(["record-list"]);
});

test("a page known to be absent is not a finding, and checks of all records are skipped", async () => {
  const folder = await plainRelease(FULL);
  const verdict = await verifyWithout(folder, [page(2), RECORDS]);
  expect(differing(verdict)).toEqual([]);
  expect(row(verdict, "bulk")).toMatchObject({ outcome: "noted", note: "compared with the pages that were read" });
  for (const name of ["record-list", "lookup", "explorer"])
    expect(row(verdict, name)).toMatchObject({
      outcome: "skipped",
      note: expect.stringContaining("are not valid"),
    });
});

test("without snapshot.json and SHA256SUMS, compares pages with page 1, and adds to given findings", async () => {
  const folder = await plainRelease({ encodings: [] });
  const promised = { ...readSnapshot(folder), id: "0".repeat(12), state: "0".repeat(64), warnings: {} };
  const missing = [SNAPSHOT, SUMS, RECORDS, OPENAPI];
  const verdict = await verifyWithout(folder, missing, { promised });
  expect(differing(verdict)).toEqual([]);
  for (const name of ["sums", "snapshot"])
    expect(row(verdict, name)).toMatchObject({ outcome: "skipped", note: "the host does not serve it" });
  expect(row(verdict, "record-list")).toMatchObject({ outcome: "skipped" });
  expect(row(verdict, "contract")).toMatchObject({ outcome: "passed" });

  edit(folder, page(2), (text) => text.replace('"count":7', '"count":8'));
  const findings = new Findings();
  findings.add({ check: "contract", path: CONTRACT, found: "one", expected: "another" });
  const wrong = await verifyWithout(folder, missing, { promised, findings });
  expect(differing(wrong)).toEqual(["contract", "count"]);
  expect(row(wrong, "count")?.findings).toMatchObject([{ page: 2, found: "count 8", expected: "7, as in page 1" }]);
});
