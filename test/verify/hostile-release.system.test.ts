/** Hostile releases, as folders or git revisions: no huge allocations and no crashes. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { compareSides } from "../../src/core/compare/compare.js";
import { UserError } from "../../src/core/errors.js";
import { RECORDS } from "../../src/core/release/layout.js";
import { withDefaults } from "../../src/core/settings/settings.js";
import type { SideEffects } from "../../src/diff/sides/named.js";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { openOnly } from "../diff/sides/opened.js";
import { run } from "../support/command.js";
import { edit, page, plainRelease, readSnapshot, remake, reseal } from "../support/damage.js";
import { scratch } from "../support/files.js";
import { draws, type Random, SEED, seeded } from "../support/random.js";
import { mutate } from "./hostile-pages.js";

let good: string;
let bad: string;

beforeEach(async () => {
  good = await plainRelease({ compress: [] });
  bad = join(scratch(), "bad");
  cpSync(good, bad, { recursive: true });
  edit(bad, page(1), (text) => text.replace('"bio":"', '"bio":"changed'));
  remake(bad);
  reseal(bad);
});

const compare = (from: string, to: string, cwd = scratch()) =>
  run(["diff", from, to], { cwd, env: { ...process.env, NODE_OPTIONS: "--max-old-space-size=256" } });

function setSnapshot(change: object): void {
  writeFileSync(join(bad, "snapshot.json"), `${JSON.stringify({ ...readSnapshot(bad), ...change })}\n`);
}

test("compares good and bad releases", async () => {
  expect(await compare(good, bad)).toMatchObject({ code: 1, stderr: "" });
});

test.each<[string, () => void, RegExp]>([
  ["far more pages than are listed", () => setSnapshot({ pages: 900_000_000 }), /too short for 900000000 page files/],
  [
    "more pages than have numbers",
    () => setSnapshot({ pages: 1e15 }),
    /snapshot\.json: found .*; expected the JSON that Rollcall writes for a release/,
  ],
  [
    "a page of a terabyte",
    () => {
      writeFileSync(join(bad, page(1)), "");
      truncateSync(join(bad, page(1)), 2 ** 40);
    },
    /^error: Page 1 of .* is larger than a page may be; check it with "rollcall verify"\.\n$/,
  ],
  [
    "a page of a terabyte, in a release without a list of records",
    () => {
      rmSync(join(bad, RECORDS));
      reseal(bad);
      truncateSync(join(bad, page(2)), 2 ** 40);
    },
    /^error: records\.sha256 of .* does not match its digest; run "rollcall verify" to see what else is wrong\.\n$/,
  ],
  [
    "a user with more values than a gigabyte holds",
    () => {
      edit(bad, page(1), (text) => text.replace('"circles":[]', `"circles":[${"[],".repeat(20_000_000)}0]`));
      remake(bad);
      reseal(bad);
    },
    /^error: Page 1 of .* does not hold user .*, or not as a valid user; check it with "rollcall verify"\.\n$/,
  ],
])("%s", { timeout: 60_000 }, async (_what, make, message) => {
  make();
  const { code, stdout, stderr } = await compare(good, bad);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("reports a wrong count without a bug", async () => {
  edit(bad, "snapshot.json", (text) => text.replace('"count":7', '"count":0'));
  reseal(bad);
  for (const sides of [
    [good, bad],
    [bad, good],
  ] as const)
    expect((await compare(...sides)).code).toBeLessThan(3);
});

test("refuses a page of a gigabyte in git", { timeout: 60_000 }, async () => {
  const cwd = scratch();
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  mkdirSync(join(cwd, "api/users/pages"), { recursive: true });
  writeFileSync(join(cwd, page(1)), "");
  truncateSync(join(cwd, page(1)), 2 ** 28 + 1);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "x");
  const { code, stderr } = await compare("git:HEAD:", good, cwd);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'error: Page 1 of git:HEAD: is larger than a page may be; check it with "rollcall verify".\n',
  });
});

/** Changes of files other than pages: any line, any number, any byte. */
function damage(folder: string, random: Random): void {
  const path = random.of([page(1), page(1), page(2), page(3), "snapshot.json", "SHA256SUMS", RECORDS]);
  const text = readFileSync(join(folder, path), "utf8");
  const changes: readonly (() => string | Buffer)[] = [
    () => mutate(text, random),
    () => mutate(text, random),
    () => text.replace(/\d+(?=[,}])/, random.of(["-1", "1e400", "900000000", "9007199254740991"])),
    () => text.split("\n").toSorted().join("\n"),
    () => text.replace(/[0-9a-f]{32}/, "\0".repeat(32)),
    () => `${text}${text}`,
    () => text.slice(0, random.below(text.length)),
    () => Buffer.from(text).fill(random.of([0, 0x0a, 0x80, 0xff]), random.below(text.length)),
  ];
  writeFileSync(join(folder, path), random.of(changes)());
}

const CASES = draws(600);

test("verifies a release with any change", { timeout: 300_000 }, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = seeded(seed);
    rmSync(bad, { recursive: true });
    cpSync(good, bad, { recursive: true });
    for (let left = 1 + random.below(2); left > 0; left--) damage(bad, random);
    // An attacker can also update the digests.
    if (random.chance(0.7)) attempt(() => remake(bad));
    if (random.chance(0.7)) attempt(() => reseal(bad));
    // On this thread: a huge count would start worker threads, which run compiled code.
    const verdict = await verifyRelease({ folder: bad, workers: 0 }).catch((error) => error);
    expect(verdict instanceof UserError || Array.isArray(verdict.rows), `${seed}: ${verdict.stack}`).toBe(true);
    const effects = { cwd: bad, dist: bad, scratch: scratch(), source: withDefaults("diff", {}) };
    for (const sides of [
      [good, bad],
      [bad, good],
    ] as const) {
      const error = await readSides(...sides, effects).catch((error) => error);
      expect(error === undefined || error instanceof UserError, `${seed}: ${error?.stack}`).toBe(true);
    }
  }
});

function attempt(make: () => void): void {
  try {
    make();
  } catch {
    // The changed file cannot be read any more.
  }
}

async function readSides(from: string, to: string, effects: SideEffects): Promise<void> {
  const result = await compareSides(await openOnly(from, effects), await openOnly(to, effects));
  try {
    for await (const change of result.changes()) expect(change.id).toHaveLength(36);
  } finally {
    result.close();
  }
}
