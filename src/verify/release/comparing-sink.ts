/** Compares files of a release with recreated ones, and describes the first difference. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SinkFile } from "../../artifacts/artifact.js";
import { parseJson } from "../../contract/json.js";
import { shorten, showValue, visible } from "../../print/text.js";
import { isSorted, LOOKUP_FOLDER, RECORDS, SUMMARY } from "../../release/layout.js";
import { closing, openPlain, readBlocks } from "../../release/plain-files.js";
import { KEY_AT } from "../../release/record-lines.js";
import type { Finding } from "../verdict.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

export type Difference = Pick<Finding, "page" | "id" | "found" | "expected">;

/** The expectation for a file whose bytes depend on the version of Rollcall. */
export const UNVERIFIED = "what this version of Rollcall writes; what another version wrote is not verified";

/** Maximum characters of a shown value or line. */
const LONGEST_SHOWN = 80;
const NEWLINE = 0x0a;

/** Reads the beginning of a file, enough for the comparison; undefined if it is not a regular file. */
function readAgainst(path: string, made: Buffer): Buffer | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  const bytes = Buffer.allocUnsafe(2 * made.length + 2 ** 16);
  return closing(file, () => bytes.subarray(0, readFully(file, bytes, 0)));
}

/** Fills a buffer from a file. @returns the number of bytes read */
function readFully(file: number, bytes: Buffer, position: number): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, position + length);
  return length;
}

/** Compares a file with its recreated bytes. @returns the first difference; undefined without one, or without a regular file. */
export function compareFile(folder: string, path: string, made: Buffer): Difference | undefined {
  const found = readAgainst(join(folder, path), made);
  if (!found || found.equals(made)) return undefined;
  return (path.endsWith(".json") ? compareValues(found, made) : undefined) ?? compareLines(path, found, made);
}

function compareLines(path: string, found: Buffer, made: Buffer): Difference {
  const at = firstOther(found, made);
  const begin = made.subarray(0, at).lastIndexOf(NEWLINE) + 1;
  const line = countLines(made.subarray(0, begin)) + 1;
  // Lists may be long, so name the term if the difference is far behind it.
  const term = isSorted(path) && at - begin > LONGEST_SHOWN / 2 ? ` of ${excerpt(made, begin, begin)}` : "";
  return { found: `in line ${line}${term}: ${excerpt(found, begin, at)}`, expected: excerpt(made, begin, at) };
}

/** The part of a line that holds the byte at `at`. */
function excerpt(bytes: Buffer, begin: number, at: number): string {
  if (begin >= bytes.length) return "an end";
  const end = bytes.indexOf(NEWLINE, at);
  const from = Math.max(begin, at - LONGEST_SHOWN / 2);
  const part = bytes.toString("utf8", from, Math.min(end < 0 ? bytes.length : end, from + LONGEST_SHOWN));
  return visible(part.trim().replaceAll("\t", " ")) || "an empty line";
}

/** The offset of the first byte that differs. */
export function firstOther(found: Buffer, made: Buffer): number {
  const most = Math.min(found.length, made.length);
  let at = 0;
  while (at < most && found[at] === made[at]) at++;
  return at;
}

/** The number of newlines. */
export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** Compares two JSON texts. @returns the first difference; undefined if one of them is not JSON. */
function compareValues(found: Buffer, made: Buffer): Difference | undefined {
  const [theirs, mine] = [parseJson(String(found)), parseJson(String(made))];
  if ("why" in theirs || "why" in mine) return undefined;
  const [path, there, here] = findOther(theirs.value, mine.value, []) ?? [];
  if (!path) return { found: "another form", expected: "keys sorted, no white space, one final newline" };
  return {
    found: `${shorten(path.join("."), 2 * LONGEST_SHOWN)} ${showValue(there)}`.trim(),
    expected: showValue(here),
  };
}

type Other = readonly [path: readonly string[], there: unknown, here: unknown];

/** Finds the first different value. Goes only as deep as the recreated value. */
function findOther(there: unknown, here: unknown, path: readonly string[]): Other | undefined {
  const areBoth = [there, here].every((value) => typeof value === "object" && value !== null);
  if (!areBoth || Array.isArray(there) !== Array.isArray(here))
    return Object.is(there, here) ? undefined : [path, there, here];
  const [theirs, mine] = [new Map(Object.entries(there as object)), new Map(Object.entries(here as object))];
  for (const key of new Set([...mine.keys(), ...theirs.keys()])) {
    const other = findOther(theirs.get(key), mine.get(key), [...path, key]);
    if (other) return other;
  }
  return undefined;
}

interface SinkContext {
  folder: string;
  tree: Tree;
  manifest: Pick<Manifest, "snapshot" | "isOwn" | "others">;
  /** Called with the first difference of each file. */
  note(path: string, difference: Difference): void;
  /** Called after each file. */
  onFile(): void;
}

/** A sink for artifacts that compares each file with the one in the release, and notes its first difference. */
export class ComparingSink {
  /** Paths of the recreated files. */
  readonly made = new Set<string>();

  constructor(private readonly context: SinkContext) {}

  put(path: string, bytes: Buffer): void {
    const { folder, tree, note, onFile } = this.context;
    this.made.add(path);
    if (tree.lacks(path)) note(path, { found: "no such file", expected: "one, as the records make it" });
    const difference = tree.get(path) === "file" ? compareFile(folder, path, bytes) : undefined;
    const isData = path.startsWith(LOOKUP_FOLDER) || path === SUMMARY || isSorted(path);
    if (difference) note(path, isData ? difference : { ...difference, expected: UNVERIFIED });
    onFile();
  }

  /** Opens the comparison of records.sha256. */
  create(path: string): SinkFile {
    const { folder, tree, manifest, note } = this.context;
    const file = tree.get(path) === "file" ? openPlain(join(folder, path)) : undefined;
    if (file === undefined && (tree.has(path) || tree.lacks(path)))
      note(path, { found: "no file to read", expected: "a line for each record" });
    // If the file is known to be absent, write the recreated list in its place, to compare steps with it.
    const made = tree.has(path) || tree.lacks(path) ? undefined : openSync(join(folder, path), "wx");
    return new ListComparison({ file, made }, manifest, (difference) => note(path, difference));
  }
}

/** Compares a list of records while it is recreated; without a file, compares its digest with the listed one. */
class ListComparison implements SinkFile {
  bytes = 0;
  #isSame = true;
  readonly #hash = createHash("sha256");

  constructor(
    /** The existing list, and a file to write the recreated list to. */
    private readonly files: { file: number | undefined; made: number | undefined },
    private readonly manifest: SinkContext["manifest"],
    private readonly note: (difference: Difference) => void,
  ) {}

  write(bytes: Uint8Array): void {
    const made = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const { file } = this.files;
    if (this.files.made !== undefined) writeFileSync(this.files.made, made);
    if (file === undefined) this.#hash.update(made);
    else if (this.#isSame) {
      const found = Buffer.allocUnsafe(made.length);
      const there = found.subarray(0, readFully(file, found, this.bytes));
      if (!there.equals(made)) this.#noteLine(file, there, made);
    }
    this.bytes += made.length;
  }

  finish(): void {
    const { snapshot, isOwn, others } = this.manifest;
    const { file } = this.files;
    if (file === undefined) {
      const [digest, listed] = [this.#hash.digest("hex"), others.get(RECORDS) ?? (isOwn ? snapshot?.state : undefined)];
      if (listed !== undefined && digest !== listed)
        this.note({ found: `digest ${listed}`, expected: `${digest}, made from the records` });
    } else if (this.#isSame && fstatSync(file).size > this.bytes)
      this.note({ found: "bytes behind the last record", expected: "a line for each record" });
  }

  close(): void {
    for (const file of Object.values(this.files)) if (file !== undefined) closeSync(file);
  }

  #noteLine(file: number, found: Buffer, made: Buffer): void {
    this.#isSame = false;
    const at = firstOther(found, made);
    const begin = made.subarray(0, at).lastIndexOf(NEWLINE) + 1;
    let line = countLines(made.subarray(0, begin)) + 1;
    // All bytes before these are equal.
    let left = this.bytes;
    for (const block of readBlocks(file)) {
      line += countLines(block.subarray(0, left));
      left -= block.length;
      if (left <= 0) break;
    }
    const end = made.indexOf(NEWLINE, begin);
    const id = shorten(made.toString("utf8", begin + KEY_AT, end), LONGEST_SHOWN);
    const shown = found.length <= begin ? "no line" : excerpt(found, begin, begin);
    this.note({
      ...{ page: Math.ceil(line / (this.manifest.snapshot?.page_size ?? 1)), id },
      ...{ found: `${shown} in line ${line}`, expected: excerpt(made, begin, begin) },
    });
  }
}
