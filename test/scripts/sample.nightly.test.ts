/** The committed sample is reproducible, valid, and has the texts that tests need. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { HARD_TEXT } from "../../scripts/sample/hard-text.js";
import { sampleUsers } from "../../scripts/sample/users.js";
import { writeUsers } from "../../scripts/sample/write.js";
import { recordCheck } from "../../src/core/contract/record/schema.js";
import { fieldObserver, type WarningCounts } from "../../src/core/contract/record/warnings.js";
import { USERS_CONTRACT, type User } from "../../src/core/contract/users.js";
import { readCandidates } from "../support/candidates.js";
import { scratch } from "../support/files.js";
import { KYC_STATUSES } from "../support/users.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SAMPLE = join(ROOT, "data/users.sqlite");

function sample(cwd: string, ...args: string[]) {
  const command = [join(ROOT, "node_modules/tsx/dist/cli.mjs"), join(ROOT, "scripts/sample.ts"), ...args];
  const env = { ...process.env, TZ: "Asia/Kathmandu", LC_ALL: "tr_TR.UTF-8" };
  return promisify(execFile)(process.execPath, command, { cwd, env });
}

/** The bytes of a file, without the number of the SQLite that wrote it: better-sqlite3 12 and 13 have two. */
const withoutVersion = (file: string) => readFileSync(file).fill(0, 96, 100);

test("reproduces the committed sample anywhere, and replaces a file only with --force", async () => {
  const folder = scratch();
  const dist = join(folder, "again.sqlite");
  writeFileSync(dist, "mine");
  await expect(sample(folder, "--users", "1000", "--out", dist)).rejects.toMatchObject({ code: 1 });
  await expect(sample(folder, "--users", "1e3", "--out", dist, "--force")).rejects.toMatchObject({ code: 2 });
  expect(readFileSync(dist, "utf8")).toBe("mine");
  await sample(folder, "--users", "1000", "--out", dist, "--force");
  const hint =
    "after a new version of faker or better-sqlite3: npm run sample -- --users 1000 --out data/users.sqlite --force";
  expect(withoutVersion(dist).equals(withoutVersion(SAMPLE)), hint).toBe(true);
  expect(readdirSync(folder)).toEqual(["again.sqlite"]);
});

test("the file depends only on the seed", () => {
  const folder = scratch();
  const [one, same, other] = [2, 2, 3].map((seed, at) => {
    const dist = join(folder, `${at}`);
    writeUsers(sampleUsers(21_000, seed), dist, { force: false });
    return readFileSync(dist).toString("latin1");
  });
  expect([one === same, one === other]).toEqual([true, false]);
});

test("the sample has 1,000 valid users without warnings, every status, ties at page edges and every hard text", async () => {
  const candidates = await readCandidates({
    ...{ db: SAMPLE, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png" },
  });
  const users = candidates.map(({ record }) => record as User);
  const warnings: WarningCounts = {};
  const [check, observe] = [recordCheck(USERS_CONTRACT), fieldObserver(USERS_CONTRACT)];
  expect(candidates.flatMap(({ record, unmet }) => [...check(record), ...unmet])).toEqual([]);
  for (const user of users) observe(user, warnings);
  expect([warnings, new Set(users.map(({ id }) => id)).size]).toEqual([{}, 1000]);
  expect(new Set(users.map((user) => user.kyc_status))).toEqual(new Set(KYC_STATUSES));
  for (const edge of [100, 300, 500, 700, 900]) expect(users[edge]?.date_joined).toBe(users[edge - 1]?.date_joined);
  const bios = new Set(users.map(({ bio }) => bio));
  expect(HARD_TEXT.filter((text) => !bios.has(text))).toEqual([]);
});
