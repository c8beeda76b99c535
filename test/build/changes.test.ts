/** `build --changes`: the step from the last release, those that are carried on, and when there is none. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { type BuildOptions, build } from "../../src/index.js";
import { insertUsers, plainRows, userId, writeUsers } from "../support/database.js";
import { checkSums, scratch } from "../support/files.js";

const BASE_URL = "https://directory.example.com";

interface Listed {
  from: string;
  to: string;
  file: string;
  bytes: number;
  sha256: string;
  put: number;
  remove: number;
}

let folder: string;
let db: Database.Database;
let options: BuildOptions;

beforeEach(() => {
  folder = scratch();
  const file = writeUsers(join(folder, "users.sqlite"), plainRows(100));
  db = new Database(file);
  options = { db: file, out: join(folder, "dist"), baseUrl: BASE_URL, pageSize: 10, changes: 3 };
});

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** What a release says of its steps; everything is held against its files. */
function readChanges(release: string) {
  const changes: { state: string; steps: Listed[] } = JSON.parse(readFileSync(join(release, "changes.json"), "utf8"));
  expect(changes.state).toBe(sha256(readFileSync(join(release, "records.sha256"))));
  let to = changes.state;
  for (const step of changes.steps) {
    expect(step.to).toBe(to);
    const packed = readFileSync(join(release, step.file));
    const lines = gunzipSync(packed).toString().split("\n").slice(0, -1);
    const put = lines.filter((line) => line.startsWith('{"put":')).length;
    const [bytes, file] = [packed.length, `changes/${step.from.slice(0, 12)}-${to.slice(0, 12)}.ndjson.gz`];
    expect(step).toEqual({ ...step, file, bytes, sha256: sha256(gunzipSync(packed)), put, remove: lines.length - put });
    to = step.from;
  }
  const files = existsSync(join(release, "changes")) ? readdirSync(join(release, "changes")) : [];
  expect(new Set(changes.steps.map(({ file }) => file.slice("changes/".length)))).toEqual(new Set(files));
  checkSums(release);
  return changes;
}

const linesOf = (release: string, at = 0) =>
  gunzipSync(readFileSync(join(release, readChanges(release).steps[at]?.file ?? ""))).toString();

test("the step has what differs, in the order of keys, in canonical text", async () => {
  const first = await build(options);
  expect(first.changes).toEqual({ put: 0, remove: 0, bytes: 0, steps: 0, none: "there was no whole release before" });
  expect(readChanges(first.folder).steps).toEqual([]);
  db.exec(`UPDATE users SET bio = 'Ünew' WHERE id = '${userId(70)}'; DELETE FROM users WHERE id = '${userId(50)}'`);
  insertUsers(db, [
    { ...plainRows(1)[0], id: userId(60_000), username: "late", date_joined: "2026-02-01T00:00:00.000000Z" },
  ]);
  const second = await build(options);
  const [step] = readChanges(second.folder).steps;
  expect(second.changes).toEqual({ put: 2, remove: 1, bytes: step?.bytes, steps: 1, none: undefined });
  const record = (id: number) =>
    readFileSync(join(second.folder, "api/users/pages", id === 70 ? "8.json" : "1.json"), "utf8")
      .split("\n")
      .find((line) => line.includes(userId(id)))
      ?.replace(/,$/, "");
  expect(linesOf(second.folder)).toBe(`{"remove":"${userId(50)}"}\n{"put":${record(70)}}\n{"put":${record(60_000)}}\n`);
  expect(step?.from).toBe(readChanges(first.folder).state);
});
