/** Real releases of every kind, built once per test file, and helpers to damage copies and update their digests. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll } from "vitest";
import { type Bulk, encodeBulk } from "../../src/build/artifacts/bulk.js";
import { type Changes, encodeChanges, type Step } from "../../src/build/artifacts/steps.js";
import type { BuildOptions } from "../../src/build/options.js";
import { type Contract, contractOf } from "../../src/core/contract/contract.js";
import { recordFinder } from "../../src/core/contract/record/locate.js";
import type { Snapshot } from "../../src/core/contract/snapshot.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { CONTRACT, PagePaths, RECORDS, SNAPSHOT, SUMS } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { recordLines } from "../../src/core/release/record-lines.js";
import { contentDigest, encodeSnapshot, snapshotId } from "../../src/core/release/snapshot.js";
import { encodeSums, PageDigests } from "../../src/core/release/sums.js";
import { build } from "../../src/index.js";
import { buildUsers } from "../publish/releases.js";
import { plainRows, type Row, writeUsers } from "./database.js";
import { ENTRIES, entries, writeEntries } from "./entries.js";
import { readTree, scratch } from "./files.js";

export const BASE_URL = "https://directory.example.com";

/** Seven users on three pages with both codings, in a folder that is not named after its id. */
export async function plainRelease(options: Partial<BuildOptions> = {}, rows?: Row[]): Promise<string> {
  return plainIn(scratch(), options, rows);
}

async function plainIn(folder: string, options: Partial<BuildOptions> = {}, rows?: Row[]): Promise<string> {
  const db = writeUsers(join(folder, "users.sqlite"), rows ?? plainRows(7));
  const shape = { baseUrl: BASE_URL, pageSize: 3, compress: ["br", "gzip"] } as const;
  return moved(await build({ db, dist: join(folder, "dist"), ...shape, ...options } as BuildOptions), folder);
}

function moved(built: { folder: string }, folder: string): string {
  const release = join(folder, "release");
  renameSync(built.folder, release);
  return release;
}

/** Entries on pages of four, outside `dist`. */
export async function entriesRelease(
  rows: readonly Row[] = entries(23),
  options: Partial<BuildOptions> = {},
  folder = scratch(),
): Promise<string> {
  const db = writeEntries(join(folder, "log.sqlite"), rows);
  const shape = { dist: join(folder, "dist"), baseUrl: BASE_URL, contract: ENTRIES, table: "entries", pageSize: 4 };
  return moved(await build({ db, ...shape, compress: ["br"], ...options }), folder);
}

const NAMES = ["Anna Keller", "Anna Maria Ott", "Björn Keller", "Çelik", "李雷", "Straße 7", "Zoë 👍"];

/** Users with names and two values to choose from. */
const namedRows = (names: readonly string[] = NAMES) =>
  plainRows(7).map((row, at) => ({
    ...row,
    display_name: names[at] ?? null,
    kyc_status: at > 2 ? "VERIFIED" : "NONE",
  }));

/** All optional files, except signatures and steps. */
export const FULL: Partial<BuildOptions> = { bulk: true, csv: true, explorer: true, compress: [] };

/** Builders of releases by kind. `steps` has two older releases beside it. */
const KINDS = {
  plain: (folder: string, options: object) => plainIn(folder, options),
  full: (folder: string, options: object) => plainIn(folder, { ...FULL, ...options }, namedRows()),
  entries: (folder: string, options: object) => entriesRelease(undefined, options, folder),
  steps: chainIn,
};

export type Kind = keyof typeof KINDS;

/** Builds a release of a kind at first use, and gives each test a copy. Call it at the top of a file. */
export function releases(options: object = {}): (kind: Kind) => Promise<string> {
  const place = mkdtempSync(join(tmpdir(), "rollcall-damage-"));
  afterAll(() => rmSync(place, { recursive: true }));
  const made = new Map<Kind, Promise<string>>();
  return async (kind) => {
    const own = join(place, kind);
    if (!made.has(kind)) {
      mkdirSync(own);
      made.set(kind, KINDS[kind](own, options));
    }
    const path = relative(own, (await made.get(kind)) ?? "");
    const copy = scratch();
    const top = path.split("/")[0] ?? "";
    cpSync(join(own, top), join(copy, top), { recursive: true, verbatimSymlinks: true });
    return join(copy, path);
  };
}

/** Changes a file's text, which must change it. */
export function edit(folder: string, path: string, change: (text: string) => string): void {
  const before = readFileSync(join(folder, path), "utf8");
  const after = change(before);
  if (before === after) throw new Error(`Nothing changed in ${path}`);
  writeFileSync(join(folder, path), after);
}

export const page = (number: number) => `api/users/pages/${number}.json`;

export function readSnapshot(folder: string): Snapshot {
  return JSON.parse(readFileSync(join(folder, SNAPSHOT), "utf8"));
}

/** The contract of the release, or the built-in one. */
function contractIn(folder: string): Contract {
  const file = join(folder, CONTRACT);
  return existsSync(file) ? contractOf(JSON.parse(readFileSync(file, "utf8"))) : USERS_CONTRACT;
}

/** Recreates compressed pages and records.sha256 from the current pages. */
export function remake(folder: string, contract = contractIn(folder)): void {
  const { pages, encodings } = readSnapshot(folder);
  const finder = recordFinder(contract);
  const paths = new PagePaths(contract.listing.path);
  let lines = "";
  for (let number = 1; number <= pages; number++) {
    const bytes = readFileSync(join(folder, paths.path(number)));
    if (encodings.includes("br")) writeFileSync(join(folder, paths.path(number, "br")), brotliCompressSync(bytes));
    if (encodings.includes("gzip")) writeFileSync(join(folder, paths.path(number, "gzip")), gzipSync(bytes));
    lines += recordLines(finder, bytes.subarray(bytes.indexOf("\n") + 1, bytes.lastIndexOf("\n]")));
  }
  writeFileSync(join(folder, RECORDS), lines);
}

/** Updates all digests, and the id of the snapshot. */
export function reseal(folder: string, contract = contractIn(folder)): void {
  const { id: _old, ...said } = readSnapshot(folder);
  const paths = new PagePaths(contract.listing.path);
  const digests = new PageDigests(said.pages, ["identity", ...said.encodings]);
  const others = new Map<string, string>();
  for (const path of readTree(folder).keys()) {
    const digest = sha256(readFileSync(join(folder, path)));
    const at = paths.find(path);
    if (at) digests.set(at.page, at.variant, digest);
    else if (path !== SNAPSHOT && path !== SUMS) others.set(path, digest);
  }
  const facts = { ...said, state: others.get(RECORDS) ?? said.state };
  const text = encodeSnapshot({ id: snapshotId(contentDigest(facts, { paths, pages: digests, others })), ...facts });
  writeFileSync(join(folder, SNAPSHOT), text);
  const all = new Map([...others, [SNAPSHOT, sha256(text)] as const].sort());
  writeFileSync(join(folder, SUMS), [...encodeSums({ paths, pages: digests, others: all })].join(""));
}

export const PART = "bulk/1.ndjson.gz";
const readBulk = (folder: string): Bulk => JSON.parse(readFileSync(join(folder, "bulk.json"), "utf8"));
export const partText = (folder: string) => gunzipSync(readFileSync(join(folder, PART))).toString();

/** Writes parts with these plain bytes, and a matching bulk.json. */
export function writeParts(folder: string, ...plains: string[]): void {
  const parts = plains.map((plain, at) => {
    const [file, bytes] = [`bulk/${at + 1}.ndjson.gz`, gzipSync(plain)];
    writeFileSync(join(folder, file), bytes);
    const members = [bytes.length];
    return { file, count: plain.split("\n").length - 1, bytes: bytes.length, members, sha256: sha256(plain) };
  });
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  writeFileSync(join(folder, "bulk.json"), encodeBulk({ count, sha256: sha256(plains.join("")), parts }));
}

export const setBulk = (folder: string, change: (bulk: Bulk) => object) =>
  writeFileSync(join(folder, "bulk.json"), encodeBulk(change(readBulk(folder)) as Bulk));

/** Replaces a part's file by one member, and updates its size in bulk.json. */
export function writePart(folder: string, bytes: Buffer): void {
  writeFileSync(join(folder, PART), bytes);
  setBulk(folder, ({ parts: [first, ...others], ...said }) => ({
    ...said,
    parts: [{ ...first, bytes: bytes.length, members: [Math.max(1, bytes.length)] }, ...others],
  }));
}

/** Enough that two small steps are less than half of the pages. */
const STEPPED = 80;

const plain = plainRows(STEPPED);

const edited = (rows: readonly Row[], ...numbers: number[]) =>
  rows.map((row, at) => (numbers.includes(at) ? { ...row, bio: "edited" } : row));

/** The rows of three releases: 1 is changed, 2 is gone and 3 is new; then 1 and 3 change. */
const FIRST = plain.filter((_, at) => at !== 3);
const SECOND = edited(plain, 1).filter((_, at) => at !== 2);
const THIRD = edited(plain, 3).filter((_, at) => at !== 2);

/** Builds three releases in one `dist`. @returns the folder of the last one, which has the steps between them. */
async function chainIn(place: string, options = {}): Promise<string> {
  let folder = "";
  for (const [at, rows] of [FIRST, SECOND, THIRD].entries()) {
    const changes = at === 0 ? 0 : 2;
    ({ folder } = await buildUsers(place, rows, { pageSize: 20, changes, ...options }));
  }
  return folder;
}

/** Writes a step's file. @returns its entry for changes.json. */
export function putStep(
  folder: string,
  step: Pick<Step, "from" | "to" | "file">,
  lines: string | Buffer,
  bytes: Buffer = gzipSync(lines),
): Step {
  put(folder, step.file, bytes);
  const count = (kind: string) =>
    String(lines)
      .split("\n")
      .filter((line) => line.startsWith(`{"${kind}"`)).length;
  return { ...step, bytes: bytes.length, sha256: sha256(lines), put: count("put"), remove: count("remove") };
}

export const readChanges = (folder: string): Changes => JSON.parse(readFileSync(join(folder, "changes.json"), "utf8"));

export function linesOf(folder: string, { file }: Pick<Step, "file">): string[] {
  return gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .split("\n")
    .slice(0, -1);
}

/** Replaces the lines of a step, 0 being the newest, and updates changes.json. */
export function changeLines(folder: string, at: number, change: (lines: string[]) => readonly string[]): void {
  const { state, steps } = readChanges(folder);
  const changed = steps.map((step, index) => {
    if (index !== at) return step;
    return putStep(
      folder,
      step,
      change(linesOf(folder, step))
        .map((line) => `${line}\n`)
        .join(""),
    );
  });
  put(folder, "changes.json", encodeChanges({ state, steps: changed }));
}

/** Replaces the bytes of the newest step's file, and updates its size in changes.json. */
export function changeBytes(folder: string, change: (bytes: Buffer) => Buffer): void {
  const { state, steps } = readChanges(folder);
  const [newest, ...older] = steps;
  if (!newest) throw new Error("There is no step");
  const bytes = change(readFileSync(join(folder, newest.file)));
  put(folder, newest.file, bytes);
  put(folder, "changes.json", encodeChanges({ state, steps: [{ ...newest, bytes: bytes.length }, ...older] }));
}

export function changeChanges(folder: string, change: (changes: Changes) => object): void {
  put(folder, "changes.json", encodeChanges(change(readChanges(folder)) as Changes));
}

/** Writes a file of a release, or removes it, and its line in SHA256SUMS. Files may be shared with other releases. */
export function put(folder: string, path: string, bytes: Buffer | string | undefined): void {
  const [file, sums] = [join(folder, path), join(folder, "SHA256SUMS")];
  const others = readFileSync(sums, "utf8")
    .split("\n")
    .filter((line) => line !== "" && line.slice(66) !== path);
  mkdirSync(dirname(file), { recursive: true });
  for (const old of [file, sums]) if (existsSync(old)) rmSync(old);
  if (bytes !== undefined) writeFileSync(file, bytes);
  const own = bytes === undefined ? [] : [`${sha256(bytes)}  ${path}`];
  writeFileSync(sums, [...others, ...own, ""].join("\n"));
}
