/** Releases of users have the pages that they had before the contract became data. The digests were noted then. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { sha256 } from "../../src/release/files.js";
import { scratch } from "../support/files.js";

/** For each case: the SHA-256 of the lines of SHA256SUMS for its pages, and that of its list of users. */
const CASES: Record<string, [pages: string, list: string]> = {
  empty: [
    "ba34e041ae59c20e86027474cf600b696ec2d20cd3f2f173dc64ee5ce747552b",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ],
  "exact-boundary": [
    "7c59a8682144a909cfaa28bebf5c4ecee8e284ec267d193eb66b653d3b75ede1",
    "07c900a463b9b4553749b8f999452ca3bcd6c6b87286b1aeb7d3b3c258e558ab",
  ],
  "hard-text": [
    "112c0e8ab6206761cf0f87215ef9ad3569ac4c002aed6436345619194f9c0493",
    "f3e5693b249f727601535c63f40310cdf28c470e651fb1d39af9273967e015c0",
  ],
  "last-page-short": [
    "b90b3831ff61726ec2e8dea776fb3b1760fccaf6c45e64117dcf5d5e9eb4fac6",
    "560904e356527909dee94977d263be315ec6c2c20fd882d820fb931c4665d261",
  ],
  nulls: [
    "4b4549d03c1865048aefa22d67ba641b5b6931ca4837cee009aa2c9125a95d62",
    "9bb069d7af7bcb644673674e22eea4ac3c88ccec4f10e5bcd49c5ca1aa799771",
  ],
  "one-page": [
    "cd15c9a5ccab044cf0ea515eb0223d54f20349612bb63d27dc1e1915be33cf43",
    "496db06827e28fb9162d3d6b2d37535b410a62c22a1fa5513e5eda700194e592",
  ],
  "path-links": [
    "f65b7fb18736cefb195757c2f4594c8f74377c96e0b89ad2aae75d4160db3907",
    "560904e356527909dee94977d263be315ec6c2c20fd882d820fb931c4665d261",
  ],
  skipped: [
    "cb5bd1e95b2d4aad755dce8fe4b11d2a22335398762620214b8668343f89ed4a",
    "9c6fe545c21c22d217e32075264572f598ddc781798c237536b47c6a9cf5e5cf",
  ],
  "tie-on-date": [
    "2183c5885da13b66c7c3db3cabbb4dce9798ed77c4ef23fdaa42a0badf96bebb",
    "ba8ecbc5f5c1dc0b50c9c6d2ac8114011483c9d471409b5362210a1e63fed403",
  ],
  unobserved: [
    "818e63c6267c5a97a9cb09c3dfbb13973c270252d71fdf1328b774ef24d81de0",
    "c7673ab5802c38c4a400fbe8b675e3092768a454560c271a21529b30693ce496",
  ],
};

test.each(Object.entries(CASES))("the case %s", (name, noted) => {
  expect(digestsOf(new URL(`../cases/${name}/expected`, import.meta.url).pathname)).toEqual(noted);
});

const SAMPLE = new URL("../../data/users.sqlite", import.meta.url).pathname;
const LIST = "477d57302ac6e5213e2dfe7f5c3a40f50c0ebaa9a4b9e1d23dcb5895dbc8c686";

test.each([
  [100, "query", 0, "3897e0ab27668f09a48e21888b7b3b1006038fedc50f5d6d3e5dde9c03388369"],
  [100, "query", 2, "3897e0ab27668f09a48e21888b7b3b1006038fedc50f5d6d3e5dde9c03388369"],
  [7, "query", 2, "122ca72f17c0b04218a493751c82fc5f5f2f7aff5360fe2900d79a03a1c0dcfa"],
  [1000, "path", 0, "e199f34b78e3adc6baf2629014f5bdd4059674fe2f01d33a9705491a376b5a6a"],
] as const)("the sample users, %i a page, linked by %s, with %i threads", async (pageSize, links, workers, noted) => {
  const out = join(scratch(), "dist");
  const made = await build({
    ...{ db: SAMPLE, out, baseUrl: "https://directory.example.com/base" },
    ...{ pageSize, links, workers },
  });
  expect(made.workers).toBe(workers);
  expect(digestsOf(made.folder)).toEqual([noted, LIST]);
});

function digestsOf(folder: string): [pages: string, list: string] {
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  expect(sums).toMatch(/ contract\.json$/m);
  const pages = sums.split("\n").filter((line) => line.includes("/pages/"));
  return [sha256(pages.map((line) => `${line}\n`).join("")), sha256(readFileSync(join(folder, "records.sha256")))];
}
