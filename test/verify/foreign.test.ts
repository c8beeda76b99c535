/** `rollcall verify` on disk of releases with other contracts: intact ones pass, and damage is found. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { contractOf } from "../../src/core/contract/contract.js";
import { CONTRACT } from "../../src/core/release/layout.js";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import { edit, entriesRelease, reseal } from "../support/damage.js";
import { ENTRIES, entries } from "../support/entries.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);

describe("an intact release has no finding", () => {
  test("of no record, of one, and of records with equal order values", async () => {
    for (const rows of [[], entries(1), entries(40).map((row) => ({ ...row, topic: "a", level: 1n }))]) {
      const sorted = rows.toSorted((one, other) => Number(one["seq"]) - Number(other["seq"]));
      expect(differing(await verifyRelease({ folder: await entriesRelease(sorted) }))).toEqual([]);
    }
  });
});

describe("an invalid contract.json", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await entriesRelease();
  });

  test.each([
    ["is no JSON", (text: string) => text.slice(0, -5), /^The file is not JSON: /],
    ["is empty", () => "", /^The file is not JSON: /],
    ["has a keyword that nobody knows", (text: string) => text.replace('"maximum"', '"maximun"'), /maximun/],
    [
      "has a condition that is more than an expression",
      (text: string) => text.replace("<> topic", "<> topic; DROP"),
      /./,
    ],
    [
      "is far too large",
      (text: string) => `${" ".repeat(2 ** 21)}${text}`,
      /^no file that can be read \(ERR_FS_FILE_TOO_LARGE\)$/,
    ],
    ["is nested too deep", () => "[".repeat(100_000), /nested/],
  ])("%s is a finding, and nothing else is looked at", async (_what, change, found) => {
    const contract = contractOf(ENTRIES);
    edit(folder, CONTRACT, change);
    reseal(folder, contract);
    const verdict = await verifyRelease({ folder });
    expect(differing(verdict)).toEqual(["contract"]);
    expect(row(verdict, "contract")?.findings[0]).toMatchObject({
      path: CONTRACT,
      found: expect.stringMatching(found),
    });
    const note = "not looked at, since the release cannot be opened";
    for (const { outcome, ...others } of verdict.rows)
      if (outcome !== "differs") expect({ outcome, ...others }).toMatchObject({ outcome: "skipped", note });
    expect(passed(verdict)).toBe(false);
  });

  test.each([ENTRIES["x-listing"].path, "/"])("that is listed but missing, with the listing at %s", async (path) => {
    const contract = { ...ENTRIES, "x-listing": { ...ENTRIES["x-listing"], path } };
    const release = await entriesRelease(undefined, { contract });
    rmSync(join(release, CONTRACT));
    const verdict = await verifyRelease({ folder: release });
    expect(differing(verdict)).toEqual(["contract"]);
    expect(row(verdict, "contract")?.findings).toMatchObject([{ path: CONTRACT, found: "no file" }]);
  });
});
