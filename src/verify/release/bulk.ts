/** Checks that bulk.json with its parts, and the CSV file, have exactly the lines of the pages' records. */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Bulk, encodeBulk, parseBulk, readPart } from "../../artifacts/bulk.js";
import { shorten } from "../../print/text.js";
import { BULK, BULK_FOLDER } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import type { Difference, Note } from "./comparing-sink.js";
import type { FileDigests } from "./files.js";
import type { PartHashes, Plain } from "./lines.js";
import { readPage } from "./page-check.js";

/** How to read bulk.json or changes.json. */
interface Index<T> {
  path: string;
  /** What it lists, and the word for each listed file. */
  what: string;
  one: string;
  folder: string;
  parse(text: string): T | { why: string };
  encode(value: T): string;
  filesOf(value: T): readonly { file: string; bytes: number }[];
}

/** Reads bulk.json or changes.json, and compares it with the existing files. @returns undefined if it is unusable */
export function readIndex<T extends object>(
  folder: string,
  digests: FileDigests,
  index: Index<T>,
  note: Note,
): T | undefined {
  const { path, what, one, parse, encode, filesOf } = index;
  const bytes = readPage(join(folder, path));
  const read = Buffer.isBuffer(bytes) ? parse(String(bytes)) : { why: "is not readable" };
  if ("why" in read) {
    note(path, { found: `a file that ${shorten(read.why, 200)}`, expected: what });
    return undefined;
  }
  if (String(bytes) !== encode(read))
    note(path, { found: "another form", expected: "keys sorted, no white space, one final newline" });
  const named = new Map(filesOf(read).map(({ file, bytes }) => [file, bytes]));
  for (const [file, bytes] of named) {
    const stats = lstatSync(join(folder, file), { throwIfNoEntry: false });
    if (!stats) note(file, { found: "no such file", expected: `a ${one}` });
    else if (stats.isFile() && stats.size !== bytes)
      note(file, { found: `${stats.size} bytes`, expected: `${bytes}, as in ${path}` });
  }
  for (const file of digests.keys())
    if (file.startsWith(`${index.folder}/`) && !named.has(file))
      note(file, { found: "a file", expected: `none, since ${path} has no such ${one}` });
  return read;
}

/** Passes the plain bytes of a gzip file to `take`, until it returns a difference. @param members the bytes of each of its members, if they are known. @returns that difference, or why the file is not one gzip */
export async function unpack(
  path: string,
  signal: AbortSignal | undefined,
  take: (plain: Buffer) => Difference | undefined,
  members?: readonly number[],
): Promise<Difference | undefined> {
  const plain = readPart(path, members);
  try {
    for (;;) {
      const next = await plain.next();
      signal?.throwIfAborted();
      if (next.done)
        return next.value === undefined
          ? undefined
          : { found: `a file that ${next.value}`, expected: "one whole gzip" };
      const difference = take(next.value);
      if (difference) return difference;
    }
  } finally {
    await plain.return(undefined);
  }
}

/** Compares the plain bytes of a gzip file with those that the records make. Unpacks hardly more bytes than these. */
export async function comparePlain(
  path: string,
  made: Plain,
  signal: AbortSignal | undefined,
  members?: readonly number[],
): Promise<Difference | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  const take = (plain: Buffer) => {
    bytes += plain.length;
    hash.update(plain);
    return bytes > made.bytes ? { found: "more plain bytes", expected: `${made.bytes}, as in the pages` } : undefined;
  };
  const difference = await unpack(path, signal, take, members);
  if (difference) return difference;
  const found = hash.digest("hex");
  if (found === made.sha256) return undefined;
  return { found: `${bytes} plain bytes of ${found}`, expected: `${made.bytes} of ${made.sha256}, as in the pages` };
}

const BULK_INDEX: Index<Bulk> = {
  path: BULK,
  folder: BULK_FOLDER,
  what: "the parts that hold all records",
  one: "part",
  parse: parseBulk,
  encode: encodeBulk,
  filesOf: ({ parts }) => parts,
};

/** Reads bulk.json. @returns undefined if it is unusable */
export function readBulk({ folder, snapshot }: Release, digests: FileDigests, note: Note): Bulk | undefined {
  const bulk = readIndex(folder, digests, BULK_INDEX, note);
  if (bulk && bulk.count !== snapshot.count)
    note(BULK, { found: `count ${bulk.count}`, expected: `${snapshot.count}, as in snapshot.json` });
  return bulk;
}

/** Compares all parts with the lines of the pages. */
export async function checkParts(
  folder: string,
  { parts, sha256 }: Bulk,
  made: PartHashes,
  digests: FileDigests,
  note: Note,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isSame = true;
  for (const [at, { file, sha256: listed, members }] of parts.entries()) {
    const own = made.parts[at]?.plain;
    if (!own || !digests.has(file)) continue;
    const difference = await comparePlain(join(folder, file), own, signal, members);
    if (difference) {
      isSame = false;
      note(file, difference);
    } else if (listed !== own.sha256)
      note(BULK, { found: `sha256 ${listed} of ${file}`, expected: `${own.sha256}, of its plain bytes` });
  }
  const all = made.all.plain.sha256;
  if (isSame && sha256 !== all) note(BULK, { found: `sha256 ${sha256}`, expected: `${all}, of all plain bytes` });
}
