/** Checks changes.json and its steps: their form, and that each step has exactly the changes between its states, if their lists of records exist. */

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Changes, encodeChanges, parseChanges, type Step } from "../../artifacts/steps.js";
import { mostPlainBytes } from "../../client/sync/steps.js";
import { parseJson } from "../../contract/json.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { fromBytes, type OrderKey, toBytes, writeKey } from "../../contract/record/key.js";
import { codeOf, UserError } from "../../errors.js";
import { shorten, showValue } from "../../print/text.js";
import { CHANGES, CHANGES_FOLDER, isPart, MAX_PACKED, RECORDS, RELEASES, SNAPSHOT } from "../../release/layout.js";
import { releaseNames } from "../../release/list.js";
import { hashPlain, readPlain } from "../../release/plain-files.js";
import { RecordLines, recordDigest } from "../../release/record-lines.js";
import { parseSnapshot } from "../../release/snapshot-file.js";
import { TemporaryDatabase } from "../../scratch/database.js";
import { createTurns } from "../../workers/turns.js";
import type { Findings } from "../verdict.js";
import { type Note, readIndex, unpack } from "./bulk.js";
import type { Difference } from "./comparing-sink.js";
import type { OpenRelease } from "./manifest.js";
import { type RecordChecker, recordChecker } from "./records.js";

const NEWLINE = 0x0a;
const [PUT, REMOVE, END] = ['{"put":', '{"remove":', "}"];
/** Maximum bytes of a line. */
const LONGEST_LINE = 2 ** 26;
/** Maximum characters of a shown text. */
const LONGEST_SHOWN = 60;

const INDEX = {
  ...{ path: CHANGES, folder: CHANGES_FOLDER, what: "the steps to this state", one: "step" },
  ...{ parse: parseChanges, encode: encodeChanges, filesOf: ({ steps }: Changes) => steps },
};

/** Checks changes.json and all steps. */
export async function checkChanges(
  release: OpenRelease,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, tree, manifest } = release;
  const { snapshot, isOwn, contract, others } = manifest;
  if (!snapshot || !contract) return;
  const note: Note = (path, difference) => findings.add({ check: "changes", path, ...difference });
  const changes = await readIndex(release, INDEX, note);
  if (!changes) return;
  const state = others.get(RECORDS) ?? (isOwn ? snapshot.state : undefined);
  if (state !== undefined && changes.state !== state)
    note(CHANGES, { found: `state ${changes.state}`, expected: `${state}, the digest of ${RECORDS}` });
  checkSize(release, changes, note);
  const checker = recordChecker(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  for (const step of changes.steps)
    if (tree.get(step.file) === "file") await checkStep(folder, step, checker, (flaw) => note(step.file, flaw), signal);
}

/** Checks that all steps together are at most half the size of the parts or, without parts, of the pages. */
function checkSize({ folder, tree, manifest }: OpenRelease, { steps }: Changes, note: Note): void {
  const sum = (isSelected: (path: string) => boolean) => {
    let bytes = 0;
    for (const path of tree.files()) if (isSelected(path)) bytes += statSync(join(folder, path)).size;
    return bytes;
  };
  const isPage = (kind: string) => (path: string) => manifest.paths.find(path)?.variant === kind;
  const all = sum(isPart) || sum(isPage("gzip")) || sum(isPage("identity"));
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) note(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
}

/** Checks a step. Decompresses no more bytes than readers do. */
async function checkStep(
  folder: string,
  step: Step,
  checker: RecordChecker,
  note: (difference: Difference) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = join(folder, step.file);
  const { size } = statSync(path);
  if (size > MAX_PACKED) return;
  const [own, most] = [createHash("sha256"), mostPlainBytes(size)];
  const table = new StepTable();
  const lines = new StepLines(checker, table);
  let bytes = 0;
  try {
    const difference = await unpack(path, signal, (plain) => {
      bytes += plain.length;
      own.update(plain);
      if (bytes > most) return { found: "more plain bytes", expected: `at most ${most}, for a file of ${size}` };
      return lines.take(plain);
    });
    const wrong = difference ?? lines.atEnd() ?? compareCounts(step, lines.counts, own.digest("hex"));
    if (wrong) return note(wrong);
    await checkEnds(table, await findList(folder, step.from), await findList(folder, step.to), note, signal);
  } finally {
    table.close();
  }
}

function compareCounts(step: Step, { put, remove }: StepLines["counts"], sha256: string): Difference | undefined {
  const [found, expected] = [`${put} lines that put and ${remove} that remove`, `${step.put} and ${step.remove}`];
  if (put !== step.put || remove !== step.remove) return { found, expected: `${expected}, as in ${CHANGES}` };
  if (sha256 === step.sha256) return undefined;
  return { found: `plain bytes of ${sha256}`, expected: `${step.sha256}, as in ${CHANGES}` };
}

type Key = OrderKey[number];

/** Checks the lines of a step in pieces of plain bytes. Make no call after one that returns a difference. */
class StepLines {
  readonly counts = { put: 0, remove: 0 };
  /** The beginning of an unfinished line. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #last: Key | undefined;

  constructor(
    private readonly checker: RecordChecker,
    private readonly table: StepTable,
  ) {}

  take(plain: Buffer): Difference | undefined {
    let begin = 0;
    for (let end = plain.indexOf(NEWLINE); end >= 0; end = plain.indexOf(NEWLINE, begin)) {
      const difference = this.#takeLine(Buffer.concat([...this.#begun, plain.subarray(begin, end)]));
      if (difference) return difference;
      [this.#begun, this.#begunBytes, begin] = [[], 0, end + 1];
    }
    this.#begun.push(plain.subarray(begin));
    this.#begunBytes += plain.length - begin;
    if (this.#begunBytes <= LONGEST_LINE) return undefined;
    return this.#wrong(`more than ${LONGEST_LINE} bytes`, "a line that puts a record or removes a key");
  }

  atEnd(): Difference | undefined {
    if (this.#begunBytes === 0) return undefined;
    return this.#wrong("no newline at its end", "a newline after every line");
  }

  #takeLine(line: Buffer): Difference | undefined {
    const isPut = line.toString("latin1", 0, PUT.length) === PUT;
    const isRemove = line.toString("latin1", 0, REMOVE.length) === REMOVE;
    if (!(isPut || isRemove) || line.toString("latin1", line.length - END.length) !== END)
      return this.#wrong(showBytes(line), `${PUT}a record} or ${REMOVE}a key}`);
    const inside = line.subarray(isPut ? PUT.length : REMOVE.length, -END.length);
    return isPut ? this.#put(inside) : this.#remove(inside);
  }

  #put(record: Buffer): Difference | undefined {
    const { keys, flaws } = this.checker.checkText(record, [[0, record.length]], {});
    const [[order] = [], [flaw]] = [keys, flaws];
    if (flaw) return { ...(flaw.id !== undefined && { id: flaw.id }), found: flaw.found, expected: flaw.expected };
    const key = order?.at(-1);
    if (key === undefined) return this.#wrong(showBytes(record), "a record with its key");
    return this.#add(key, "put", recordDigest(record));
  }

  #remove(bytes: Buffer): Difference | undefined {
    const { kind } = this.checker.contract.key;
    const text = bytes.toString("utf8");
    const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
    const value = "why" in read || JSON.stringify(read.value) !== text ? undefined : read.value;
    if (kind === "text" ? typeof value !== "string" : !Number.isSafeInteger(value))
      return this.#wrong(showBytes(bytes), `a key of ${kind}, as JSON`);
    return this.#add(typeof value === "string" ? toBytes(value) : (value as number), "remove", null);
  }

  /** Adds a key, which must come after the one before. @param key a text has one character per byte */
  #add(key: Key, kind: "put" | "remove", digest: string | null): Difference | undefined {
    const last = this.#last;
    this.#last = key;
    if (last !== undefined && key <= last)
      return this.#wrong(`${show(key)} after ${show(last)}`, "each key once, in their order");
    this.table.add(writeKey(typeof key === "string" ? fromBytes(key) : key), digest);
    this.counts[kind]++;
    return undefined;
  }

  #wrong(found: string, expected: string): Difference {
    const { put, remove } = this.counts;
    return { found: `${found}, in line ${put + remove + 1}`, expected };
  }
}

function show(key: Key): string {
  return shorten(typeof key === "string" ? fromBytes(key) : String(key), LONGEST_SHOWN);
}

function showBytes(bytes: Buffer): string {
  return showValue(bytes.toString("utf8", 0, LONGEST_SHOWN));
}

/** The state before a step, or after it. */
type End = "from" | "to";

/** Bits of a Bloom filter of keys. Most keys of a long list are not in the step, and need no lookup in the table. */
const BITS = 2 ** 23;
/** Lines of a list that are read before the event loop gets a turn. */
const LINES_AT_ONCE = 2 ** 14;

/** The lines of a step by key, with the digests that both states have for these keys, in a temporary database. */
class StepTable {
  readonly #temporary = new TemporaryDatabase({
    tables: `CREATE TABLE lines (key TEXT PRIMARY KEY, digest TEXT, "from" TEXT, "to" TEXT) WITHOUT ROWID`,
    memory: 16_384,
    purpose: "compare a step with its ends in",
  });
  readonly #bits = new Uint8Array(BITS / 8);
  readonly #insert = this.#temporary.db.prepare("INSERT INTO lines (key, digest) VALUES (?, ?)");
  readonly #update = {
    from: this.#temporary.db.prepare('UPDATE lines SET "from" = ? WHERE key = ?'),
    to: this.#temporary.db.prepare('UPDATE lines SET "to" = ? WHERE key = ?'),
  };

  /**
   * Adds a line of the step.
   * @param key as records.sha256 has it, one character per byte
   * @param digest of the record; null for a line that removes
   * @throws UserError if the temporary directory is full
   */
  add(key: string, digest: string | null): void {
    const bit = hashOf(key);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    this.#temporary.run(() => this.#insert.run(key, digest));
  }

  /** Takes all records of a state. @returns a digest of the records without a line in the step */
  async take(end: End, path: string, signal: AbortSignal | undefined): Promise<string> {
    const [list, others] = [new RecordLines(path), createHash("sha256")];
    const turn = createTurns(LINES_AT_ONCE, signal);
    try {
      for (let at = 0; list.load(at, 1) > 0; at++) {
        await turn();
        const [key, digest] = [list.key(at), list.digest(at)];
        const bit = hashOf(key);
        const isCandidate = ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
        const isInStep = isCandidate && this.#temporary.run(() => this.#update[end].run(digest, key)).changes > 0;
        if (!isInStep) others.update(`${digest}${key}\n`);
      }
    } finally {
      list.close();
    }
    return others.digest("hex");
  }

  /** Finds the lines that contradict a state, after `take` of that state. */
  *flaws(end: End): Generator<Difference> {
    const wrong = end === "to" ? `digest IS NOT "to"` : `digest IS "from"`;
    type Row = { key: string; digest: string | null; to: string | null };
    for (const { key, digest, to } of this.#temporary.rows<Row>(`SELECT * FROM lines WHERE ${wrong} ORDER BY key`)) {
      const id = shorten(fromBytes(key), 60);
      const line = digest === null ? "a remove" : "a put";
      const other = digest === null ? "there was no such record before" : "the record was the same before";
      if (end === "from") yield { id, found: line, expected: `none, since ${other}` };
      else if (digest === null) yield { id, found: line, expected: "none, since the record is there afterwards" };
      else {
        const expected = to === null ? "a remove, since the record is gone afterwards" : `the record of ${to}`;
        yield { id, found: `${line} of the record of ${digest}`, expected };
      }
    }
  }

  close(): void {
    this.#temporary.close();
  }
}

/** The number of a key's bit: FNV-1a, truncated. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (BITS - 1);
}

/** Compares a step with its states. @param from, to the paths of their lists of records, if they exist */
async function checkEnds(
  table: StepTable,
  from: string | undefined,
  to: string | undefined,
  note: (difference: Difference) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const before = from === undefined ? undefined : await table.take("from", from, signal);
  const after = to === undefined ? undefined : await table.take("to", to, signal);
  // Records without a line in the step must be the same in both states, in the same order.
  if (before !== undefined && after !== undefined && before !== after)
    note({ found: "no line for a record that differs", expected: "a line for each" });
  if (before !== undefined) for (const flaw of table.flaws("from")) note(flaw);
  if (after !== undefined) for (const flaw of table.flaws("to")) note(flaw);
}

/** Finds an intact list of records of a state, in a release or in those beside it. @returns its path */
async function findList(release: string, state: string): Promise<string | undefined> {
  const releases = dirname(release);
  const isInDist = basename(releases) === RELEASES;
  const names = (isInDist && (await unlessUnreadable(() => releaseNames(dirname(releases))))) || [];
  for (const folder of [release, ...names.map((name) => join(releases, name))]) {
    const path = join(folder, RECORDS);
    const isFound = await unlessUnreadable(async () => {
      const said = parseSnapshot(String(readPlain(join(folder, SNAPSHOT)) ?? ""))?.state;
      return said === state && (await hashPlain(path)) === state && isList(path);
    });
    if (isFound) return path;
  }
  return undefined;
}

/** Runs a step; undefined if the system or a UserError prevents reading. */
async function unlessUnreadable<T>(step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (codeOf(error) === undefined && !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** Whether a list of records has only complete lines. @throws UserError for a line that is longer than a page */
function isList(path: string): boolean {
  const list = new RecordLines(path);
  try {
    return list.measure().trailing === 0;
  } finally {
    list.close();
  }
}
