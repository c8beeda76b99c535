/** A release's folder, or a revision of it, that somebody else has made: what it says is no reason to make room, or to fail. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { USERS } from "../../src/release/layout.js";
import { run } from "../support/command.js";
import { scratch } from "../support/files.js";
import { edit, page, plainRelease, readSnapshot, remake, reseal } from "../verify/damage.js";

let good: string;
let bad: string;

beforeEach(async () => {
  good = await plainRelease({ encodings: [] });
  bad = await plainRelease({ encodings: [] });
  edit(bad, page(1), (text) => text.replace('"bio":"', '"bio":"changed'));
  remake(bad);
  reseal(bad);
});

const compare = (from: string, to: string, cwd = scratch()) =>
  run(["diff", from, to], { cwd, env: { ...process.env, NODE_OPTIONS: "--max-old-space-size=256" } });

function setSnapshot(change: object): void {
  writeFileSync(join(bad, "snapshot.json"), `${JSON.stringify({ ...readSnapshot(bad), ...change })}\n`);
}

test("good and bad can be compared", async () => {
  expect(await compare(good, bad)).toMatchObject({ code: 1, stderr: "" });
});

test.each<[string, () => void, RegExp]>([
  [
    "far more pages than are listed",
    () => setSnapshot({ pages: 900_000_000 }),
    /too short for 900000000 page files/,
  ],
  ["more pages than have numbers", () => setSnapshot({ pages: 1e15 }), /snapshot\.json is not of the form/],
  [
    "a page of a terabyte",
    () => {
      writeFileSync(join(bad, page(1)), "");
      truncateSync(join(bad, page(1)), 2 ** 40);
    },
    /^error: Page 1 of .* has 1099511627776 bytes, more than a page may; check it with "rollcall verify"\.\n$/,
  ],
  [
    "a page of a terabyte, which has to be read for an index",
    () => {
      rmSync(join(bad, USERS));
      reseal(bad);
      truncateSync(join(bad, page(2)), 2 ** 40);
    },
    /^error: Page 2 of .* cannot be read \(EFBIG\); check it with "rollcall verify"\.\n$/,
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

test("a count that has nothing to do with the users is no bug", async () => {
  edit(bad, "snapshot.json", (text) => text.replace('"count":7', '"count":0'));
  reseal(bad);
  for (const sides of [
    [good, bad],
    [bad, good],
  ] as const)
    expect((await compare(...sides)).code).toBeLessThan(3);
});

test("in git, a page that is a gigabyte of nothing", { timeout: 60_000 }, async () => {
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
    stderr: `error: HEAD:${page(1)} in git has ${2 ** 28 + 1} bytes, more than a page may; name another revision.\n`,
  });
});
