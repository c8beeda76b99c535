/** `build --changes`: the step from the last release, those that are carried on, and when there is none. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { type BuildOptions, type BuildResult, build, GateError, useRelease } from "../../../src/index.js";
import { insertUsers, plainRows, userId, writeUsers } from "../../support/database.js";
import { checkSums, openFiles, scratch } from "../../support/files.js";
import { writeKey } from "../../support/minisign.js";

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
let options: BuildOptions & { dist: string; changes: number };

beforeEach(() => {
  folder = scratch();
  const file = writeUsers(join(folder, "users.sqlite"), plainRows(200));
  db = new Database(file);
  const [dist, baseUrl] = [join(folder, "dist"), "https://directory.example.com"];
  options = { db: file, dist, baseUrl, pageSize: 10, changes: 3 };
});

/** Makes the data that of a version. Only one user differs from one version to the next. */
function setVersion(version: number, user = 70): void {
  db.prepare("UPDATE users SET bio = ? WHERE id = ?").run(`version ${version}`, userId(user));
}

async function buildVersion(version: number, more: Partial<BuildOptions> = {}): Promise<BuildResult> {
  setVersion(version);
  return build({ ...options, ...more });
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** What a release says of its steps; everything is held against its files. */
function readChanges(release: string) {
  const changes: { state: string; steps: Listed[] } = JSON.parse(readFileSync(join(release, "changes.json"), "utf8"));
  expect(changes.state).toBe(sha256(readFileSync(join(release, "records.sha256"))));
  let to = changes.state;
  for (const step of changes.steps) {
    const packed = readFileSync(join(release, step.file));
    const plain = gunzipSync(packed);
    const lines = plain.toString().split("\n").slice(0, -1);
    const put = lines.filter((line) => line.startsWith('{"put":')).length;
    const file = `changes/${step.from.slice(0, 12)}-${to.slice(0, 12)}.ndjson.gz`;
    const facts = { from: step.from, to, file, bytes: packed.length, sha256: sha256(plain) };
    expect(step).toEqual({ ...facts, put, remove: lines.length - put });
    to = step.from;
  }
  const files = existsSync(join(release, "changes")) ? readdirSync(join(release, "changes")) : [];
  expect(files.length === 0).toBe(!existsSync(join(release, "changes")));
  expect(new Set(files)).toEqual(new Set(changes.steps.map(({ file }) => file.slice("changes/".length))));
  checkSums(release);
  return changes;
}

/** The states that a release's steps lead from, newest first. */
const statesOf = ({ folder: release }: BuildResult) => readChanges(release).steps.map(({ from }) => from);
const stateOf = ({ folder: release }: BuildResult) => readChanges(release).state;

test("the step has what differs, in the order of keys, in canonical text", async () => {
  const first = await build(options);
  expect(first.changes).toEqual({
    put: 0,
    remove: 0,
    bytes: 0,
    steps: 0,
    none: "there is no complete previous release",
  });
  expect(statesOf(first)).toEqual([]);
  db.exec(`UPDATE users SET bio = 'Ünew' WHERE id = '${userId(70)}'; DELETE FROM users WHERE id = '${userId(50)}'`);
  const late = { id: userId(60_000), username: "late", date_joined: "2026-02-01T00:00:00.000000Z" };
  insertUsers(db, [{ ...plainRows(1)[0], ...late }]);
  const second = await build(options);
  const [step] = readChanges(second.folder).steps;
  expect(second.changes).toEqual({ put: 2, remove: 1, bytes: step?.bytes, steps: 1, none: undefined });
  expect(step?.from).toBe(stateOf(first));
  const record = (page: number, id: number) =>
    readFileSync(join(second.folder, `api/users/pages/${page}.json`), "utf8")
      .split("\n")
      .find((line) => line.includes(userId(id)))
      ?.replace(/,$/, "");
  expect(gunzipSync(readFileSync(join(second.folder, step?.file ?? ""))).toString()).toBe(
    `{"remove":"${userId(50)}"}\n{"put":${record(8, 70)}}\n{"put":${record(1, 60_000)}}\n`,
  );
  expect(openFiles(folder).filter((path) => !path.includes("users.sqlite"))).toEqual([]);
});

test("older steps are carried on as links, N in all", async () => {
  const built: BuildResult[] = [];
  for (const version of [1, 2, 3, 4, 5]) built.push(await buildVersion(version));
  const states = built.map(stateOf).reverse();
  expect(built.map((one) => statesOf(one).length)).toEqual([0, 1, 2, 3, 3]);
  expect(statesOf(built[4] as BuildResult)).toEqual(states.slice(1, 4));
  const inode = (release: BuildResult | undefined, at: number) =>
    statSync(join(release?.folder ?? "", readChanges(release?.folder ?? "").steps[at]?.file ?? "")).ino;
  expect(inode(built[4], 2)).toBe(inode(built[2], 0));
  const fewer = await build({ ...options, changes: 2 });
  expect(fewer).toMatchObject({ new: true, id: built[4]?.id, changes: { put: 0, steps: 2 } });
  expect(statesOf(fewer)).toEqual(states.slice(1, 3));
  const none = await build({ ...options, changes: 0 });
  expect(none).toMatchObject({ new: true, changes: undefined });
  expect(existsSync(join(none.folder, "changes.json")) || existsSync(join(none.folder, "changes"))).toBe(false);
});

test.each([
  ["no row is read", undefined],
  ["every row is read", 0],
])("with the same data, where %s, what is there stays, and its steps with it", async (_, workers) => {
  await buildVersion(1);
  const second = await buildVersion(2, { workers });
  const changes = { put: 0, remove: 0, bytes: 0, steps: 1, none: "the records are the same" };
  const again = await build({ ...options, workers });
  expect(again).toMatchObject({ name: second.name, new: false, changes });
  // All pages are other ones, and all records the same.
  const paged = await build({ ...options, workers, pageSize: 7 });
  expect(paged).toMatchObject({ new: true, changes });
  expect(statesOf(paged)).toEqual(statesOf(second));
  const { secret: signKey } = writeKey(folder, "ours");
  const signed = await build({ ...options, workers, signKey });
  expect(signed).toMatchObject({ new: true, changes });
  expect(statesOf(signed)).toEqual(statesOf(second));
});

test("data that goes back makes another release, which says how to get there", async () => {
  const first = await buildVersion(1);
  const second = await buildVersion(2);
  const back = await buildVersion(1);
  expect(back).toMatchObject({ id: first.id, new: true });
  expect(back.name).not.toBe(first.name);
  const [one, two] = [stateOf(first), stateOf(second)];
  expect(statesOf(back)).toEqual([two, one]);
  // Steps back and forth have the same files.
  expect(statesOf(await buildVersion(2))).toEqual([one, two, one]);
  await useRelease(options.dist, first.name);
  expect(statesOf(await buildVersion(2))).toEqual([one]);
  // Without steps, a release that is there is as good as a new one.
  const plain = await buildVersion(1, { changes: 0 });
  await buildVersion(2, { changes: 0 });
  expect(await buildVersion(1, { changes: 0 })).toMatchObject({ name: plain.name, new: false });
});

describe("no step is made, and none carried on,", () => {
  let last: BuildResult;
  beforeEach(async () => {
    await buildVersion(1);
    last = await buildVersion(2);
  });

  test.each<[string, RegExp, () => Promise<BuildResult>]>([
    [
      "where the last release is broken",
      /no complete previous release/,
      () => {
        rmSync(join(last.folder, "api/users/pages/3.json"));
        return buildVersion(3);
      },
    ],
    [
      "where its list of records is damaged",
      /records\.sha256 of the last release is damaged/,
      () => {
        const list = join(last.folder, "records.sha256");
        writeFileSync(`${list}.new`, readFileSync(list, "utf8").replace(/^./, "g"));
        rmSync(list);
        writeFileSync(list, readFileSync(`${list}.new`));
        return buildVersion(3);
      },
    ],
    [
      "where the contract is another one",
      /the contract has changed/,
      async () => {
        const contract = JSON.parse(readFileSync(join(last.folder, "contract.json"), "utf8"));
        options = { ...options, contract: { ...contract, description: "Others." } };
        return buildVersion(3);
      },
    ],
    [
      "where it would be more than half of everything",
      /would exceed half of all data/,
      () => {
        db.exec("UPDATE users SET bio = hex(randomblob(200)) WHERE rowid % 100 < 60");
        return build({ ...options, compress: ["gzip"] });
      },
    ],
  ])("%s", async (_, why, make) => {
    const { folder: release, changes } = await make();
    expect(changes).toMatchObject({ put: 0, remove: 0, bytes: 0, steps: 0 });
    expect(changes?.none).toMatch(why);
    expect(readChanges(release).steps).toEqual([]);
    // From there on, there are steps again.
    setVersion(4, 90);
    expect((await build(options)).changes).toMatchObject({ put: 1, steps: 1 });
  });
});

test.each<[string, (file: string) => void]>([
  ["is missing", (file) => rmSync(file)],
  ["is damaged", (file) => writeFileSync(file, readFileSync(file).fill(0, 20, 21))],
  ["is cut short", (file) => truncateSync(file, 10)],
])("a step that %s ends the chain, and nothing behind it is carried on", async (_, harm) => {
  await buildVersion(1);
  await buildVersion(2);
  await buildVersion(3);
  const last = await buildVersion(4);
  harm(join(last.folder, readChanges(last.folder).steps[1]?.file ?? ""));
  const next = await buildVersion(5);
  expect(next.changes?.steps).toBe(2);
  expect(statesOf(next)).toHaveLength(2);
  // A build of the same data mends what it can.
  harm(join(next.folder, readChanges(next.folder).steps[0]?.file ?? ""));
  const mended = await build(options);
  expect(mended).toMatchObject({ id: next.id, new: true, changes: { steps: 0 } });
  readChanges(mended.folder);
});

test("older steps end where all of them pass half of everything, whose least form counts", async () => {
  const halves: number[] = [];
  for (const form of [{}, { compress: ["gzip"] as const }, { compress: ["gzip"] as const, bulk: true }]) {
    let last: BuildResult | undefined;
    for (let version = 1; version <= 9; version++) {
      db.exec(`UPDATE users SET bio = hex(randomblob(150)) WHERE rowid % 10 = ${version}`);
      last = await build({ ...options, ...form, changes: 1000 });
    }
    const { folder: release } = last as BuildResult;
    const pages = readdirSync(join(release, "api/users/pages"));
    const files = form.bulk
      ? ["bulk/1.ndjson.gz"]
      : pages.filter((name) => name.endsWith(".gz") === "compress" in form).map((name) => `api/users/pages/${name}`);
    const half = files.reduce((sum, file) => sum + statSync(join(release, file)).size, 0) / 2;
    const { steps } = readChanges(release);
    const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(half);
    // One more would have been too much.
    const largest = Math.max(...steps.map((step) => step.bytes));
    if ("compress" in form) expect(bytes + 1.2 * largest).toBeGreaterThan(half);
    halves.push(half);
    rmSync(options.dist, { recursive: true });
  }
  expect([...halves].sort((one, other) => other - one)).toEqual(halves);
});

test("gates look at the same differences; a release that they refuse is no end of a later step", async () => {
  const first = await buildVersion(1, { maxChanged: 1 });
  db.exec("UPDATE users SET bio = 'refused' WHERE rowid < 4");
  await expect(build({ ...options, maxChanged: 1 })).rejects.toThrow(GateError);
  db.exec("UPDATE users SET bio = 'Notes.'");
  const second = await buildVersion(2, { maxChanged: "100%", maxField: ["bio=100%"] });
  expect(second.gates).toMatchObject({ added: 0, removed: 0, changed: second.changes?.put });
  expect(statesOf(second)[0] ?? stateOf(first)).toBe(stateOf(first));
  db.prepare("DELETE FROM users WHERE id = ?").run(userId(9));
  const third = await build({ ...options, maxRemoved: 1 });
  expect(third).toMatchObject({ gates: { removed: 1 }, changes: { put: 0, remove: 1 } });
});
