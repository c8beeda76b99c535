/** The locks that a process has on a source, which the end of any look at the file could give up. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { openSource } from "../../src/source/open.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

test("a build leaves the locks that its process has on the source", async () => {
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(40));
  const own = new Database(db, { readonly: true });
  own.exec("BEGIN; SELECT 1 FROM users");
  const options = { db, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png" };
  (await openSource(options)).close();
  expect(() => writeElsewhere(db)).toThrow("database is locked");
  own.close();
  writeElsewhere(db);
});

/** Writes from another process, which does not wait, since locks belong to a process. */
function writeElsewhere(db: string): void {
  const script = `new (require("better-sqlite3"))(process.argv[1], { timeout: 0 }).exec("UPDATE users SET bio = 'later'")`;
  execFileSync(process.execPath, ["-e", script, db], { stdio: "pipe" });
}
