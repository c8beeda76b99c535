/** Checks files of gzip: parts and the CSV file have exactly the lines of the pages' records; each step has the form that readers need. */
import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { encodeBulk, parseBulk } from "../../build/artifacts/bulk.js";
import { bytesOfAll, encodeChanges, parseChanges } from "../../build/artifacts/steps.js";
import { ListingError } from "../../client/errors.js";
import { recordReader } from "../../client/sync/records.js";
import { changesOf, mostPlainBytes } from "../../client/sync/steps.js";
import { AVATAR_PATH } from "../../core/contract/links.js";
import { codeOf } from "../../core/errors.js";
import { shorten } from "../../core/print/text.js";
import { BULK, BULK_FOLDER, CHANGES, CHANGES_FOLDER, CSV, SNAPSHOT } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { openPlain } from "../../core/release/plain-files.js";
import type { AddFinding, FileDigests } from "./files.js";
import { readPageFile } from "./page-check.js";
import { recordChecker } from "./records.js";

/** Counts and hashes plain bytes. */
export class PlainHash {
  readonly #hash = createHash("sha256");
  bytes = 0;

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }

  get sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** Bytes that are read and unpacked at once. */
const CHUNK = 2 ** 18;

/** What is wrong with a file, so that reading it stops. */
export class WrongFile extends Error {
  constructor(
    readonly found: string,
    readonly expected: string,
  ) {
    super(found);
  }
}

/**
 * Yields the plain bytes of a gzip file, in bounded memory.
 * @param members the bytes of each gzip member of a part; other files have one
 * @throws WrongFile if the file is not exactly these complete members
 */
async function* unpack(
  path: string,
  signal: AbortSignal | undefined,
  members: readonly number[] = [Number.POSITIVE_INFINITY],
) {
  const fd = openPlain(path);
  if (fd === undefined) throw notGzip("is not a file");
  try {
    let begin = 0;
    for (const bytes of members) {
      const gunzip = createGunzip({ chunkSize: CHUNK });
      const packed = createReadStream("", {
        fd,
        autoClose: false,
        highWaterMark: CHUNK,
        start: begin,
        end: begin + bytes - 1,
      });
      packed.once("error", (error) => gunzip.destroy(error));
      for await (const plain of packed.pipe(gunzip)) {
        signal?.throwIfAborted();
        yield plain as Buffer;
      }
      begin += gunzip.bytesWritten;
    }
    // Node ignores bytes after the last member. They would corrupt the joined parts.
    const behind = fstatSync(fd).size - begin;
    if (behind > 0) throw notGzip(`has ${behind} bytes after its gzip data`);
  } catch (error) {
    const code = codeOf(error) ?? "";
    throw code.startsWith("Z_") ? notGzip(`is not complete gzip (${code})`) : error;
  } finally {
    closeSync(fd);
  }
}

const notGzip = (why: string) => new WrongFile(`a file that ${why}`, "one whole gzip");

/** Adds the finding of a check that throws one. @returns whether there is none */
export async function isSound(file: string, add: AddFinding, check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof ListingError)
      add(file, { found: error.received ?? error.message, expected: error.expected ?? "a valid step" });
    else if (error instanceof WrongFile) add(file, error);
    else throw error;
    return false;
  }
}

const INDEXES = {
  bulk: {
    path: BULK,
    folder: BULK_FOLDER,
    what: "the parts that hold all records",
    one: "part",
    read(text: string) {
      const index = parseBulk(text);
      return "why" in index ? index : { index, files: index.parts, text: encodeBulk(index) };
    },
  },
  changes: {
    path: CHANGES,
    folder: CHANGES_FOLDER,
    what: "the steps to this state",
    one: "step",
    read(text: string) {
      const index = parseChanges(text);
      return "why" in index ? index : { index, files: index.steps, text: encodeChanges(index) };
    },
  },
} as const;

/** Reads bulk.json or changes.json, and compares it with the existing files. @returns undefined if it is unusable */
function readIndex<K extends keyof typeof INDEXES>(kind: K, folder: string, digests: FileDigests, add: AddFinding) {
  const { path, what, one, folder: inside, read: parse } = INDEXES[kind];
  const bytes = readPageFile(join(folder, path));
  const read = Buffer.isBuffer(bytes) ? parse(String(bytes)) : { why: "is not readable" };
  if ("why" in read) return void add(path, { found: `a file that ${shorten(read.why, 200)}`, expected: what });
  if (String(bytes) !== read.text)
    add(path, { found: "another form", expected: "keys sorted, no white space, one final newline" });
  const named = new Map(read.files.map(({ file, bytes }) => [file, bytes]));
  for (const [file, bytes] of named) {
    const stats = lstatSync(join(folder, file), { throwIfNoEntry: false });
    if (!stats) add(file, { found: "no such file", expected: `a ${one}` });
    else if (stats.isFile() && stats.size !== bytes)
      add(file, { found: `${stats.size} bytes`, expected: `${bytes}, as in ${path}` });
  }
  for (const file of digests.keys())
    if (file.startsWith(`${inside}/`) && !named.has(file))
      add(file, { found: "a file", expected: `none, since ${path} has no such ${one}` });
  return read.index as Extract<ReturnType<(typeof INDEXES)[K]["read"]>, { index: object }>["index"];
}

/** Compares the parts with the lines of the pages. Unpacks hardly more bytes than these. @param made undefined if they are not known */
export async function checkBulk(
  { folder, snapshot }: Release,
  made: PlainHash | undefined,
  digests: FileDigests,
  add: AddFinding,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bulk = readIndex("bulk", folder, digests, add);
  if (!bulk) return;
  if (bulk.count !== snapshot.count)
    return add(BULK, { found: `count ${bulk.count}`, expected: `${snapshot.count}, as in ${SNAPSHOT}` });
  if (!made) return;
  const all = new PlainHash();
  const others: [file: string, listed: string, found: string][] = [];
  let areSound = true;
  for (const { file, sha256, members } of bulk.parts) {
    const own = new PlainHash();
    const isWhole = digests.has(file) && (await isSound(file, add, () => addPlain(file, [own, all], members)));
    if (!isWhole) areSound = false;
    else if (sha256 !== own.sha256) others.push([file, sha256, own.sha256]);
  }
  if (!areSound) return;
  const [suspect, ...more] = bulk.parts.length === 1 ? bulk.parts.map(({ file }) => [file]) : others;
  const path = suspect && more.length === 0 ? suspect[0] : BULK;
  if (!(await isSound(path ?? BULK, add, async () => requireSame(all, made)))) return;
  for (const [file, listed, found] of others)
    add(BULK, { found: `sha256 ${listed} of ${file}`, expected: `${found}, of its plain bytes` });
  if (others.length === 0 && bulk.sha256 !== made.sha256)
    add(BULK, { found: `sha256 ${bulk.sha256}`, expected: `${made.sha256}, of all plain bytes` });

  async function addPlain(file: string, to: readonly PlainHash[], members: readonly number[]): Promise<void> {
    for await (const plain of unpack(join(folder, file), signal, members)) {
      for (const hash of to) hash.update(plain);
      requireAtMost(all, made as PlainHash);
    }
  }
}

/** Compares the CSV file with the lines of the pages. */
export async function checkCsv(
  folder: string,
  made: PlainHash,
  add: AddFinding,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = new PlainHash();
  await isSound(CSV, add, async () => {
    for await (const plain of unpack(join(folder, CSV), signal)) {
      all.update(plain);
      requireAtMost(all, made);
    }
    requireSame(all, made);
  });
}

export function requireAtMost({ bytes }: PlainHash, made: PlainHash): void {
  if (bytes > made.bytes) throw new WrongFile("more plain bytes", `${made.bytes}, as in the pages`);
}

export function requireSame({ bytes, sha256 }: PlainHash, made: PlainHash): void {
  if (sha256 !== made.sha256)
    throw new WrongFile(`${bytes} plain bytes of ${sha256}`, `${made.bytes} of ${made.sha256}, as in the pages`);
}

/**
 * Checks changes.json, and reads all steps as a client does, which also refuses a step that unpacks to too much. It computes the
 * state after each step, so a wrong one costs bytes, not data.
 */
export async function checkChanges(
  release: Release,
  digests: FileDigests,
  add: AddFinding,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, snapshot, contract } = release;
  const changes = readIndex("changes", folder, digests, add);
  if (!changes) return;
  if (changes.state !== snapshot.state)
    add(CHANGES, { found: `state ${changes.state}`, expected: `${snapshot.state}, as in ${SNAPSHOT}` });
  const all = bytesOfAll(release);
  const bytes = changes.steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) add(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
  const checker = recordChecker(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  const reader = recordReader(contract.file, CHANGES);
  for (const step of changes.steps) {
    const packed = digests.has(step.file) && readPageFile(join(folder, step.file));
    if (!packed || packed === "too large") continue;
    const most = mostPlainBytes(packed.length);
    await isSound(step.file, add, async () => {
      const plain = new PlainHash();
      for await (const bytes of unpack(join(folder, step.file), signal)) {
        plain.update(bytes);
        if (plain.bytes > most) throw new WrongFile("more plain bytes", `at most ${most}`);
      }
      const own = { ...step, bytes: packed.length };
      for await (const change of changesOf(own, Uint8Array.from(packed), step.file, reader, signal)) {
        if (!("text" in change)) continue;
        const text = Buffer.from(change.text);
        const [flaw] = checker.checkText(text, [[0, text.length]], {}).flaws;
        if (flaw) throw Object.assign(new WrongFile(flaw.found, flaw.expected), flaw.id && { id: flaw.id });
      }
    });
  }
}
