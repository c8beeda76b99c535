/** `build --lookup`: records are found by keys and names, and a failed build leaves nothing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, build } from "rollcall";
import { expect, test } from "vitest";
import { CLI } from "../../support/command.js";
import { plainRows, type Row, userId, usersFile, writeUsers } from "../../support/database.js";
import { checkSums, readTree, scratch } from "../../support/files.js";
import { needs } from "../../support/needs.js";
import { STATIONS, stations, writeStations } from "../../support/stations.js";
import { lookUp } from "./plain-reader.js";

const baseUrl = "https://directory.example.com";

async function outcomeOf(options: Omit<BuildOptions, "dist" | "baseUrl">) {
  const { folder, lookup } = await build({ ...options, baseUrl, dist: scratch(), lookup: true });
  checkSums(folder);
  const files = readTree(join(folder, "lookup"));
  expect(lookup?.files).toBe(files.size - 1);
  expect(lookup?.bytes).toBe([...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  return { files, index: JSON.parse(files.get("index.json") ?? "") };
}

type Outcome = Awaited<ReturnType<typeof outcomeOf>>;

function find({ files, index }: Outcome, family: "keys" | "words", term: string, isWhole: boolean): number[] {
  const own = index[family].map((_: unknown, at: number) => Buffer.from(files.get(`${family}/${at + 1}.txt`) ?? ""));
  return lookUp(index[family], own, term, isWhole);
}

const HARD = [
  "İstanbul ISPARTA",
  "Straße",
  "東京タワー",
  "Zoë e\u0301",
  "🕊",
  "שָׁלוֹם",
  'a\tb "c"',
  "\u{1d400}x",
  "",
  "x".repeat(70),
];

/** Rows with every kind of name, of which one in three begins as all others do. */
function hardRows(count: number): Row[] {
  return plainRows(count).map((row, at) => ({
    ...row,
    username: at % 3 === 0 ? `user${String(at).padStart(6, "0")}` : null,
    display_name: `everybody ${HARD[at % HARD.length]}`,
  }));
}

test("finds records by words, prefixes, folded letters and keys", async () => {
  const made = await outcomeOf({ db: usersFile(hardRows(300)), pageSize: 7 });
  expect(find(made, "words", "everybody", true)).toHaveLength(300);
  expect(find(made, "words", "user", false)).toHaveLength(100);
  expect(find(made, "words", "strasse", true)).toHaveLength(30);
  expect(find(made, "words", "x".repeat(48), true)).toHaveLength(30);
  expect(find(made, "keys", userId(5), true)).toHaveLength(1);
});

test("works with no records, one record, and records without names", async () => {
  const none = await outcomeOf({ db: usersFile([]) });
  expect([...none.files.keys()]).toEqual(["index.json"]);
  expect(none.index).toMatchObject({ keys: [], words: [] });
  const one = await outcomeOf({ db: usersFile(plainRows(1)) });
  expect(find(one, "keys", userId(0), true)).toEqual([0]);
  const nameless = plainRows(30).map((row) => ({
    ...row,
    username: null,
    display_name: null,
    first_name: "",
    last_name: "",
  }));
  const bare = await outcomeOf({ db: usersFile(nameless) });
  expect(find(bare, "keys", userId(7), true)).toHaveLength(1);
});

test("skipped records are not found, and others are", async () => {
  const rows = hardRows(300).map((row, at) => (at % 100 === 7 ? { ...row, country: "nowhere" } : row));
  const made = await outcomeOf({ db: usersFile(rows), skipInvalid: true, pageSize: 50 });
  expect(find(made, "words", "everybody", true)).toEqual(Array.from({ length: 297 }, (_, at) => at));
  expect(find(made, "keys", userId(7), true)).toEqual([]);
});

test("finds records whose values look like member names", async () => {
  const made = stations(250);
  const db = writeStations(
    join(scratch(), "s.sqlite"),
    made.map(({ row }) => row),
  );
  const alone = await outcomeOf({ db, contract: STATIONS });
  for (const number of [0, 99, 249])
    expect(find(alone, "keys", made[number]?.record.code ?? "", true)).toEqual([number]);
  expect(find(alone, "words", "station", true)).toHaveLength(250);
});

test("links equal files from the last release, but not damaged ones", async () => {
  const file = usersFile(hardRows(300));
  const options = { db: file, baseUrl, dist: scratch(), explorer: true };
  const first = await build(options);
  const db = new Database(file);
  const change = (bio: string) => db.prepare("UPDATE users SET bio = ? WHERE id = ?").run(bio, userId(3));
  const inode = (release: string, path: string) => statSync(join(release, path)).ino;
  const [keys, words] = ["lookup/keys/1.txt", "lookup/words/1.txt"];
  const explorer = ["explorer/app.js", "explorer/summary.json", "explorer/facets/1.txt"];
  change("one");
  const second = await build(options);
  for (const path of [keys, words, ...explorer]) expect(inode(second.folder, path)).toBe(inode(first.folder, path));
  const damaged = readFileSync(join(second.folder, keys));
  damaged[10] = (damaged[10] ?? 0) ^ 1;
  writeFileSync(join(second.folder, keys), damaged);
  change("two");
  const third = await build(options);
  expect(inode(third.folder, keys)).not.toBe(inode(second.folder, keys));
  expect(inode(third.folder, words)).toBe(inode(second.folder, words));
  checkSums(third.folder);
  db.close();
});

test.runIf(needs("userns"))(
  "on a full disk it says so, for releases and for temporary files, and leaves nothing",
  () => {
    const folder = scratch();
    writeUsers(join(folder, "u.sqlite"), hardRows(20_000));
    for (const name of ["dist", "tmp"]) mkdirSync(join(folder, name));
    const script = `exec 2>&1; cd "${folder}"; mount -t tmpfs -o size=1m tmpfs tmp; export TMPDIR=${folder}/tmp SQLITE_TMPDIR=${folder}/tmp
    node "${CLI}" build --quiet --lookup --db u.sqlite --dist dist --base-url ${baseUrl} --workers 2; echo "code $?"; ls -A tmp
    ls -A dist | grep -c -e staging -e trash -e current; true`;
    const output = execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", script], { encoding: "utf8" });
    expect(output.replace(/[\d.]+ MB/, "SIZE")).toBe(
      `error: The folder for temporary files, ${folder}/tmp, has too little room (SQLITE_FULL); point TMPDIR at one with more.\ncode 1\n0\n`,
    );
  },
);
