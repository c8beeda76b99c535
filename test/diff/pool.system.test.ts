/** Several threads find what one does, and fail as one does. */
import { truncateSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { build } from "../../src/build/build.js";
import { run } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

/** Enough for many orders to each thread. */
const USERS = 4000;

async function twoReleases() {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(USERS));
  const publish = () => build({ db, out: join(cwd, "dist"), baseUrl: "https://directory.example.com", pageSize: 10 });
  await publish();
  const file = new Database(db);
  file.exec(`UPDATE users SET bio = id WHERE rowid % 2 = 0;
    UPDATE users SET referrals_count = rowid, kyc_status = iif(rowid % 5, 'PENDING', 'VERIFIED') WHERE rowid % 3 = 0;
    DELETE FROM users WHERE rowid % 100 = 7`);
  file.close();
  const { folder } = await publish();
  const diff = (workers: number, ...flags: string[]) =>
    run(["diff", ...flags], { cwd, env: { ...process.env, ROLLCALL_WORKERS: String(workers) } });
  return { folder, diff };
}

test.each([
  [/"changed":2654/, ["--format", "json"]],
  [/changed +1,320\n/, ["--only", "referrals_count"]],
] as const)("%s", async (figure, flags) => {
  const { diff } = await twoReleases();
  const alone = await diff(1, ...flags);
  expect(alone).toMatchObject({ code: 1, stderr: "", stdout: expect.stringMatching(figure) });
  for (const workers of [2, 4]) expect(await diff(workers, ...flags)).toEqual(alone);
});

test("a page that is not whole stops them all", async () => {
  const { folder, diff } = await twoReleases();
  // Where the last of many users is, far behind what is read first.
  truncateSync(join(folder, "api/users/pages/390.json"), 100);
  const alone = await diff(1);
  expect(alone).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Page 390 of") });
  for (const workers of [2, 4]) expect((await diff(workers)).stderr).toMatch(/Page 390 of .* does not hold user/);
});
