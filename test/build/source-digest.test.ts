/** The digest of a source's bytes is one of a file that nobody changes meanwhile. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { SourceBytes } from "../../src/build/shards/source-digest.js";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { openSource } from "../../src/source/open.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

test("a file that changes while it is digested has no digest", async () => {
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(400));
  const source = openSource({ db, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png" });
  onTestFinished(() => source.close());
  expect(await SourceBytes.find(source.file)?.digest()).toMatch(/^[0-9a-f]{64}$/);
  const bytes = SourceBytes.find(source.file);
  appendFileSync(db, "more");
  expect(await bytes?.digest()).toBeUndefined();
});

test("a log that somebody commits to while it is digested has no digest", async () => {
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(400), "", "PRAGMA journal_mode = WAL");
  const writer = new Database(db);
  onTestFinished(() => void writer.close());
  writer.exec("PRAGMA wal_autocheckpoint = 0; UPDATE users SET bio = 'Logged.' WHERE rowid = 3");
  const source = openSource({ db, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png" });
  onTestFinished(() => source.close());
  expect(await SourceBytes.find(source.file)?.digest()).toMatch(/^[0-9a-f]{64}$/);
  const bytes = SourceBytes.find(source.file);
  writer.exec("UPDATE users SET bio = 'More.' WHERE rowid = 3");
  expect(await bytes?.digest()).toBeUndefined();
  expect(SourceBytes.find(source.file)).toBeUndefined();
});
