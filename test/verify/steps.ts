/** Releases with steps, and the means to change those and to hide that from their own digests. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Changes, encodeChanges, type Step } from "../../src/changes/steps.js";
import { sha256 } from "../../src/release/files.js";
import { buildUsers } from "../publish/releases.js";
import { plainRows, type Row } from "../support/database.js";
import { readSnapshot } from "./damage.js";

/** Enough that two small steps are less than half of the pages. */
const RECORDS = 400;

const plain = plainRows(RECORDS);

const edited = (rows: readonly Row[], ...numbers: number[]) =>
  rows.map((row, at) => (numbers.includes(at) ? { ...row, bio: "edited" } : row));

/** The rows of three releases: 1 is changed, 2 is gone and 3 is new; then 1 and 3 change. */
const FIRST = plain.filter((_, at) => at !== 3);
const SECOND = edited(plain, 1).filter((_, at) => at !== 2);
const THIRD = edited(plain, 3).filter((_, at) => at !== 2);

export interface Chain {
  /** Of the releases, oldest first. */
  folders: string[];
  /** Of the last one. */
  folder: string;
}

/** Builds three releases in one `dist`, of which the last one has the steps between them. */
export async function chainIn(place: string, options = {}): Promise<Chain> {
  const folders: string[] = [];
  for (const [at, rows] of [FIRST, SECOND, THIRD].entries()) {
    const changes = at === 0 ? 0 : 2;
    const { folder } = await buildUsers(place, rows, { pageSize: 100, changes, ...options });
    folders.push(folder);
  }
  return { folders, folder: folders.at(-1) ?? "" };
}

const textsIn = (folder: string) => {
  const texts = new Map<string, string>();
  for (let page = 1; page <= readSnapshot(folder).pages; page++) {
    const { results } = JSON.parse(readFileSync(join(folder, `api/users/pages/${page}.json`), "utf8"));
    for (const record of results) texts.set(record.id, JSON.stringify(record));
  }
  return texts;
};

/** What differs between two releases, as their pages say it. */
export function linesBetween(old = "", now = ""): string[] {
  const [before, after] = [textsIn(old), textsIn(now)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  return keys.flatMap((key) => {
    const text = after.get(key);
    if (text === before.get(key)) return [];
    return text === undefined ? `{"remove":${JSON.stringify(key)}}` : `{"put":${text}}`;
  });
}

/** Writes a step's file, as one that changes.json may list. */
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

/** Replaces the lines of a step, 0 being the newest; changes.json says what is in it then. */
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

/** Replaces the bytes of the newest step's file; changes.json says how many they are. */
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
