/** Checks that bulk.json with its parts, and the CSV file, have exactly the lines of the pages' records. */
import { closeSync, fstatSync, lstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip, type Gunzip } from "node:zlib";
import { type Bulk, encodeBulk, parseBulk } from "../../artifacts/bulk.js";
import { codeOf } from "../../errors.js";
import { shorten } from "../../print/text.js";
import { BULK, BULK_FOLDER } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { openPlain } from "../../release/plain-files.js";
import type { Difference, FileDigests, Note } from "./files.js";
import { type PartHashes, PlainHash } from "./lines.js";
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

/** Thrown where reading a file stops, since something is wrong with it. */
export class WrongFile extends Error {
  constructor(readonly difference: Difference) {
    super(difference.found);
  }
}

const CHUNK = 2 ** 18;

/**
 * Yields the plain bytes of a gzip file, in bounded memory.
 * @param members the bytes of each gzip member of a part; other files have one
 * @throws WrongFile if the file is not exactly these complete members
 */
export async function* unpack(
  path: string,
  signal: AbortSignal | undefined,
  members: readonly number[] = [Number.POSITIVE_INFINITY],
): AsyncGenerator<Buffer, void> {
  const fd = openPlain(path);
  if (fd === undefined) throw notGzip("is not a file");
  try {
    let begin = 0;
    for (const bytes of members) {
      const gunzip = createGunzip({ chunkSize: CHUNK });
      yield* unpackMember(Readable.from(chunksOf(fd, begin, begin + bytes)), gunzip, signal);
      begin += gunzip.bytesWritten;
    }
    // Node ignores bytes after the last member. They would corrupt the joined parts.
    const behind = fstatSync(fd).size - begin;
    if (behind > 0) throw notGzip(`has ${behind} bytes after its gzip data`);
  } finally {
    closeSync(fd);
  }
}

async function* unpackMember(
  packed: Readable,
  gunzip: Gunzip,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void> {
  packed.once("error", (error) => gunzip.destroy(error));
  try {
    for await (const plain of packed.pipe(gunzip)) {
      signal?.throwIfAborted();
      yield plain;
    }
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (!code.startsWith("Z_")) throw error;
    throw notGzip(`is not complete gzip (${code})`);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** Reads the bytes of an open file from `begin` up to `end` or its end. */
function* chunksOf(fd: number, begin: number, end: number): Generator<Buffer> {
  for (let at = begin; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
    const read = readSync(fd, chunk, { position: at });
    if (read === 0) return;
    yield chunk.subarray(0, read);
    at += read;
  }
}

function notGzip(why: string): WrongFile {
  return new WrongFile({ found: `a file that ${why}`, expected: "one whole gzip" });
}

/** Adds the finding of a check that throws WrongFile. @returns whether there is none */
export async function noteIfWrong(file: string, note: Note, check: Promise<void>): Promise<boolean> {
  try {
    await check;
    return true;
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error;
    note(file, error.difference);
    return false;
  }
}

/** Compares the plain bytes of a gzip file with those that the records make. Unpacks hardly more bytes than these. @throws WrongFile */
export async function comparePlain(
  path: string,
  made: PlainHash,
  signal: AbortSignal | undefined,
  members?: readonly number[],
): Promise<void> {
  const hash = new PlainHash();
  for await (const plain of unpack(path, signal, members)) {
    hash.update(plain);
    if (hash.bytes > made.bytes)
      throw new WrongFile({ found: "more plain bytes", expected: `${made.bytes}, as in the pages` });
  }
  const { bytes, sha256 } = hash;
  if (sha256 === made.sha256) return;
  throw new WrongFile({
    found: `${bytes} plain bytes of ${sha256}`,
    expected: `${made.bytes} of ${made.sha256}, as in the pages`,
  });
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
    const own = made.parts[at];
    if (!own || !digests.has(file)) continue;
    if (!(await noteIfWrong(file, note, comparePlain(join(folder, file), own, signal, members)))) isSame = false;
    else if (listed !== own.sha256)
      note(BULK, { found: `sha256 ${listed} of ${file}`, expected: `${own.sha256}, of its plain bytes` });
  }
  const all = made.all.sha256;
  if (isSame && sha256 !== all) note(BULK, { found: `sha256 ${sha256}`, expected: `${all}, of all plain bytes` });
}
