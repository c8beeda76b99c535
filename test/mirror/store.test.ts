/** The store of a mirror: one transaction at a time, and only Rollcall changes records. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { KeptRecord } from "../../src/client/sync/store.js";
import type { AnyRecord } from "../../src/core/contract/contract.js";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { openMirror } from "../../src/mirror/file.js";
import { createSqliteStores } from "../../src/mirror/sqlite-store.js";
import { scratch } from "../support/files.js";
import { sha256, stateOf } from "./filled.js";

const URL_OF = "https://words.example.com";

const WORDS: ContractFile = {
  type: "object",
  "x-listing": { path: "/words/", words: ["word", "words"], key: "word", order: ["-rank", "word"], version: 1 },
  properties: { word: { type: "string" }, rank: { type: "integer" }, note: { type: ["string", "null"] } },
  required: ["word", "rank", "note"],
  additionalProperties: false,
};

function kept(word: string, rank: number, note: string | null = null): KeptRecord<AnyRecord> {
  const record = { note, rank, word };
  const text = JSON.stringify(record);
  const key = /^\w+$/.test(word) ? word : JSON.stringify(word);
  const order = Buffer.from(`${String(1000 - rank).padStart(4, "0")}${word}`);
  return { key, digest: sha256(text).slice(0, 32), order, record, text };
}

const HELD = { id: "0123456789ab", contract: "c".repeat(64) };

/** The store of one listing that is not of a site. */
function storeOf(file: string, url = URL_OF) {
  const { store, commit, close } = createSqliteStores(file, url);
  onTestFinished(close);
  return Object.assign(store(""), { commit, close });
}

/** Changes a mirror like the client does. @returns its state. */
async function change(
  file: string,
  put: readonly KeptRecord<AnyRecord>[],
  { remove = [], isAnew = false, contract = WORDS, url = URL_OF }: Partial<Parameters<typeof began>[1]> = {},
) {
  const { store, transaction } = await began(file, { remove, isAnew, contract, url }, put);
  const state = await stateOf(transaction);
  await transaction.commit({ ...HELD, state, count: await countOf(transaction) });
  store.commit();
  store.close();
  return state;
}

interface Change {
  remove: readonly string[];
  isAnew: boolean;
  contract: ContractFile;
  url: string;
}

async function began(file: string, { remove, isAnew, contract, url }: Change, put: readonly KeptRecord<AnyRecord>[]) {
  const store = storeOf(file, url);
  await store.held();
  const transaction = await store.begin(contract, isAnew);
  for (const record of put) await transaction.put(record);
  for (const key of remove) await transaction.remove(key);
  return { store, transaction };
}

async function countOf(transaction: Awaited<ReturnType<typeof began>>["transaction"]) {
  let count = 0;
  for await (const _ of transaction.entries()) count++;
  return count;
}

function ask(file: string, sql: string): unknown[] {
  const db = new Database(file, { readonly: true });
  onTestFinished(() => void db.close());
  return db.prepare(sql).all();
}

const FIRST = [kept("b", 3), kept("é \u0000", 2, "x"), kept("a", 1)];
const IN_ORDER = "SELECT word, rank, note FROM words ORDER BY rank DESC, word";
const UNTIL = { remove: [], isAnew: false, contract: WORDS, url: URL_OF };

test("puts, moves, changes and removes records by key, in order", async () => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const state = await change(file, [kept("a", 9), kept("b", 3, "y"), kept("c", 2)], { remove: ['"é \\u0000"', "zzz"] });
  expect(ask(file, IN_ORDER)).toEqual([
    { word: "a", rank: 9, note: null },
    { word: "b", rank: 3, note: "y" },
    { word: "c", rank: 2, note: null },
  ]);
  const store = storeOf(file);
  expect(await store.held()).toEqual({ ...HELD, state, count: 3 });
  const list = [kept("a", 9), kept("b", 3, "y"), kept("c", 2)].map(({ digest, key }) => `${digest}  ${key}\n`);
  expect(state).toBe(createHash("sha256").update(list.join("")).digest("hex"));
});

test("readers see nothing before a commit or after a rollback, and are not blocked", async () => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const reader = new Database(file, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN");
  const read = () => reader.prepare(IN_ORDER).pluck().all();
  expect(read()).toEqual(["b", "é \u0000", "a"]);
  const { store, transaction } = await began(file, { ...UNTIL, isAnew: true }, [kept("z", 1)]);
  expect(read()).toHaveLength(3);
  await transaction.rollback();
  store.close();
  await change(file, [kept("z", 1)], { isAnew: true });
  expect(read()).toEqual(["b", "é \u0000", "a"]);
  reader.exec("COMMIT");
  expect(read()).toEqual(["z"]);
});

test("a failed first fill leaves no file", async () => {
  const folder = scratch();
  const { store, transaction } = await began(join(folder, "words.sqlite"), { ...UNTIL, isAnew: true }, FIRST);
  await transaction.rollback();
  store.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("a failed first fill leaves a file that another program has open meanwhile", async () => {
  const file = join(scratch(), "words.sqlite");
  const { store, transaction } = await began(file, { ...UNTIL, isAnew: true }, FIRST);
  const other = new Database(file);
  onTestFinished(() => void other.close());
  expect(other.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()).toBeGreaterThan(0);
  await transaction.rollback();
  store.close();
  other.exec("CREATE TABLE notes (n); INSERT INTO notes VALUES (1)");
  expect(ask(file, "SELECT n FROM notes")).toEqual([{ n: 1 }]);
});

test("a failed fill of a mirror without records leaves what other programs have in the file", async () => {
  const file = join(scratch(), "words.sqlite");
  const killed = openMirror(file, true);
  killed?.exec("CREATE TABLE notes (n); INSERT INTO notes VALUES (1)");
  killed?.close();
  const { store, transaction } = await began(file, { ...UNTIL, isAnew: true }, FIRST);
  await transaction.rollback();
  store.close();
  expect(ask(file, "SELECT n FROM notes")).toEqual([{ n: 1 }]);
});

test("a listing that is rolled back leaves the others of the transaction as they are", async () => {
  const file = join(scratch(), "words.sqlite");
  const { store, commit, close } = createSqliteStores(file, URL_OF);
  onTestFinished(close);
  const put = async (name: string, record: KeptRecord<AnyRecord>) => {
    const one = store(name);
    await one.held();
    const transaction = await one.begin(WORDS, true);
    await transaction.put(record);
    return { transaction, held: { ...HELD, state: await stateOf(transaction), count: 1 } };
  };
  for (const [name, word] of [
    ["one", "a"],
    ["v1/other", "b"],
  ] as const) {
    const refused = await put(name, kept("x", 1));
    await refused.transaction.rollback();
    const { transaction, held } = await put(name, kept(word, 1));
    await transaction.commit(held);
  }
  const failed = await put("one", kept("x", 1));
  await failed.transaction.rollback();
  commit();
  expect(ask(file, 'SELECT o.word, v.word AS other FROM one o, "v1/other" v')).toEqual([{ word: "a", other: "b" }]);
  const stores = createSqliteStores(file, URL_OF);
  onTestFinished(stores.close);
  expect(stores.names()).toEqual(["one", "v1/other"]);
  expect(await stores.store("one").held()).toMatchObject({ count: 1 });
});

test("a listing may have the name of another one's index, and so may a view of another program", async () => {
  const file = join(scratch(), "words.sqlite");
  const fillAll = async (names: readonly string[]) => {
    const { store, commit, close } = createSqliteStores(file, URL_OF);
    for (const name of names) {
      const one = store(name);
      await one.held();
      const transaction = await one.begin(WORDS, true);
      await transaction.put(kept(name, 1));
      await transaction.commit({ ...HELD, state: await stateOf(transaction), count: 1 });
    }
    commit();
    close();
  };
  await fillAll(["a", "a_in_order"]);
  const db = new Database(file);
  db.exec("CREATE VIEW b_in_order AS SELECT word FROM a");
  db.close();
  await fillAll(["b"]);
  expect(ask(file, "SELECT a.word, i.word AS other, b.word AS third FROM a, a_in_order i, b")).toEqual([
    { word: "a", other: "a_in_order", third: "b" },
  ]);
});

test("refuses the second of two runs, and one that was overtaken", async () => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const { store, transaction } = await began(file, UNTIL, [kept("c", 1)]);
  const other = storeOf(file);
  await other.held();
  await expect(other.begin(WORDS, false)).rejects.toThrow(
    `Cannot use ${file}: another program is writing to it; let it finish, then run this again.`,
  );
  await transaction.commit({ ...HELD, state: "0".repeat(64), count: 4 });
  store.commit();
  store.close();
  await expect(other.begin(WORDS, false)).rejects.toThrow(`${file} was updated by another run meanwhile`);
  expect(ask(file, IN_ORDER)).toHaveLength(4);
});

test("a first run that was overtaken keeps the mirror of the other run", async () => {
  const file = join(scratch(), "words.sqlite");
  const store = storeOf(file);
  await store.held();
  await change(file, FIRST, { isAnew: true });
  await expect(store.begin(WORDS, true)).rejects.toThrow("was updated by another run meanwhile");
  store.close();
  expect(ask(file, IN_ORDER)).toHaveLength(FIRST.length);
});

test("does not commit a wrong number of records, and rolls back", async () => {
  const file = join(scratch(), "words.sqlite");
  const state = await change(file, FIRST, { isAnew: true });
  const { store, transaction } = await began(file, UNTIL, [kept("c", 1)]);
  expect(() => transaction.commit({ ...HELD, state, count: 3 })).toThrow("would have 4 records instead of 3");
  expect(ask(file, IN_ORDER)).toHaveLength(3);
  store.close();
  await change(file, [kept("d", 1)]);
  expect(ask(file, IN_ORDER)).toHaveLength(4);
});

test.each([
  "INSERT INTO words VALUES ('x', 1, NULL)",
  "INSERT OR REPLACE INTO words VALUES ('a', 1, NULL)",
  "UPDATE words SET note = 'mine'",
  "DELETE FROM words",
  "UPDATE rollcall_records_of_words SET digest = ''",
  "DELETE FROM rollcall_records_of_words WHERE key = 'a'",
])("another program cannot %s", async (sql) => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const db = new Database(file);
  onTestFinished(() => void db.close());
  expect(() => db.exec(sql)).toThrow('this table is a mirror, which only "rollcall mirror" changes');
  expect(await storeOf(file).held()).toMatchObject({ count: 3 });
});

test.each([
  "DROP TRIGGER rollcall_keeps_words_from_update; UPDATE words SET note = 'mine'",
  "CREATE TRIGGER mine AFTER INSERT ON words BEGIN UPDATE words SET note = 'mine'; END",
  "CREATE UNIQUE INDEX mine ON words (rank)",
  "ALTER TABLE words ADD COLUMN mine",
  "DROP TABLE words",
  "DROP TABLE rollcall_records_of_words",
])("detects what could have changed a record, and reads everything again: %s", async (sql) => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const db = new Database(file);
  db.exec(sql);
  db.close();
  const store = storeOf(file);
  expect([await store.held(), store.distrust]).toEqual([undefined, expect.stringContaining("were changed")]);
  store.close();
  await change(file, FIRST, { isAnew: true });
  expect(ask(file, "SELECT * FROM words ORDER BY rank")).toEqual([...FIRST].reverse().map(({ record }) => record));
  expect(await storeOf(file).held()).toMatchObject({ count: 3 });
});

test("keeps indexes, views and tables of others, also when everything is read again", async () => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const db = new Database(file);
  db.exec("CREATE INDEX mine ON words (note); CREATE TABLE notes (n); CREATE VIEW noted AS SELECT word FROM words");
  db.close();
  expect(await storeOf(file).held()).toMatchObject({ count: 3 });
  await change(file, [kept("q", 5)], { isAnew: true });
  const names = ask(file, "SELECT name FROM sqlite_schema WHERE name IN ('mine', 'notes', 'noted') ORDER BY name");
  expect(names).toEqual([{ name: "mine" }, { name: "noted" }, { name: "notes" }]);
  expect(ask(file, "SELECT * FROM noted")).toEqual([{ word: "q" }]);
});

test("another contract replaces the table only for the same listing", async () => {
  const file = join(scratch(), "words.sqlite");
  await change(file, FIRST, { isAnew: true });
  const next: ContractFile = { ...WORDS, "x-listing": { ...WORDS["x-listing"], words: ["mot", "mots"] } };
  const elsewhere = change(file, FIRST, { isAnew: true, contract: next, url: "https://other.example.com" });
  await expect(elsewhere).rejects.toThrow(`${file} is a mirror of ${URL_OF}, which has another contract`);
  expect(ask(file, IN_ORDER)).toHaveLength(3);
  await change(file, FIRST, { isAnew: true, contract: next });
  expect(ask(file, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")).toEqual([
    { name: "mots" },
    { name: "rollcall_mirror" },
    { name: "rollcall_records_of_mots" },
  ]);
  await change(file, FIRST, { contract: next, url: "https://moved.example.com" });
  expect(ask(file, "SELECT url FROM rollcall_mirror")).toEqual([{ url: "https://moved.example.com" }]);
});

test.each([
  ["sqlite_x", "_sqlite_x"],
  ["Rollcall_mirror", "_Rollcall_mirror"],
  ["rollcall", "rollcall"],
])("the table of a word that is reserved has another name: %s", async (many, table) => {
  const file = join(scratch(), "words.sqlite");
  const contract = { ...WORDS, "x-listing": { ...WORDS["x-listing"], words: ["x", many] as const } };
  for (const records of [FIRST, FIRST.slice(1)]) await change(file, records, { isAnew: true, contract });
  expect(ask(file, `SELECT count(*) AS count FROM ${table}`)).toEqual([{ count: FIRST.length - 1 }]);
});

test("refuses a contract that is not valid before anything is made", async () => {
  const contract = { ...WORDS, required: [] };
  const folder = scratch();
  const store = storeOf(join(folder, "words.sqlite"));
  expect(await store.held()).toBeUndefined();
  await expect(store.begin(contract, true)).rejects.toThrow("is not a contract");
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["of another type", { word: "a", rank: "1", note: null }],
  ["that is no integer", { word: "a", rank: 1.5, note: null }],
  ["with more than the contract says", { word: "a", rank: 1, note: null, more: 1 }],
  ["with half a pair", { word: "\ud800", rank: 1, note: null }],
  ["without a field", { word: "a", rank: 1 }],
])("refuses a record %s, which no table can store", async (_, record) => {
  const file = join(scratch(), "words.sqlite");
  const text = JSON.stringify(Object.fromEntries(Object.entries(record).sort()));
  const { store, transaction } = await began(file, { ...UNTIL, isAnew: true }, []);
  const bad = { ...kept("a", 1), record: JSON.parse(text), text };
  // The client takes such an error for a wrong step, and reads everything.
  const message = expect.stringContaining("publishes word a, which does not fit its own contract");
  expect(() => transaction.put(bad)).toThrow(
    expect.objectContaining({ name: "ListingError", code: "malformed", message }),
  );
  await transaction.rollback();
  store.close();
  expect(await storeOf(file).held()).toBeUndefined();
});

test.each([
  ["a file of another kind", (path: string) => writeFileSync(path, "Dear diary,\n".repeat(20))],
  ["another database", (path: string) => new Database(path).exec("CREATE TABLE words (word)").close()],
  ["a folder", (path: string) => mkdirSync(path)],
  ["a symbolic link", (path: string) => symlinkSync("mirror.sqlite", path)],
  ["a symbolic link to nothing", (path: string) => symlinkSync("nothing", path)],
])("does not touch %s", async (_, make) => {
  const folder = scratch();
  await change(join(folder, "mirror.sqlite"), FIRST, { isAnew: true });
  const file = join(folder, "mine");
  make(file);
  const look = () => readdirSync(folder).map((name) => [name, bytesOf(join(folder, name))]);
  const before = look();
  const store = storeOf(file);
  await expect(store.held()).rejects.toThrow(`${file} is not a mirror of Rollcall, so it was not touched`);
  await expect(store.begin(WORDS, true)).rejects.toThrow("it was not touched");
  expect(look()).toEqual(before);
});

function bytesOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

test("names a missing folder, and creates nothing", async () => {
  const file = join(scratch(), "no", "words.sqlite");
  await expect(change(file, FIRST, { isAnew: true })).rejects.toThrow(`Cannot use ${file}: `);
  expect(existsSync(file)).toBe(false);
});

test("does not take the id at one URL for that at another", async () => {
  const file = join(scratch(), "m.sqlite");
  const state = await change(file, [kept("a", 1)], { isAnew: true });
  expect(await storeOf(file).held()).toEqual({ ...HELD, state, count: 1 });
  expect(await storeOf(file, "https://other.example.com").held()).toEqual({ ...HELD, state, count: 1, id: "" });
});

test.each(["removed", "replaced"])("does not report success for a mirror that is %s meanwhile", async (how) => {
  const file = join(scratch(), "m.sqlite");
  await change(file, [kept("a", 1)], { isAnew: true });
  const { store, transaction } = await began(file, UNTIL, [kept("b", 2)]);
  const count = await countOf(transaction);
  rmSync(file);
  if (how === "replaced") writeFileSync(file, "mine");
  await transaction.commit({ ...HELD, state: await stateOf(transaction), count });
  expect(() => store.commit()).toThrow(`${file} was removed or replaced meanwhile; run this again.`);
  if (how === "replaced") expect(readFileSync(file, "utf8")).toBe("mine");
});

test("fills the empty file that a run leaves when it is killed before the tables are there", async () => {
  const file = join(scratch(), "m.sqlite");
  writeFileSync(file, "");
  expect(await storeOf(file).held()).toBeUndefined();
  await change(file, FIRST, { isAnew: true });
  expect(await storeOf(file).held()).toMatchObject({ count: 3 });
});

test("refuses to make a mirror beside the log of a missing database", async () => {
  const file = join(scratch(), "m.sqlite");
  writeFileSync(`${file}-wal`, "log");
  const store = storeOf(file);
  expect(await store.held()).toBeUndefined();
  await expect(store.begin(WORDS, true)).rejects.toThrow(/-wal is the log of a database that no longer exists/);
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(`${file}-wal`, "utf8")).toBe("log");
});
