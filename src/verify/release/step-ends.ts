/** Compares a step with the lists of records before and after it, where those are there: it is all that differs. */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fromBytes } from "../../contract/record/key.js";
import { codeOf, UserError } from "../../errors.js";
import { shorten } from "../../print/text.js";
import { findDigest, readReleaseFileSync } from "../../release/files.js";
import { RECORDS, RELEASES, SNAPSHOT } from "../../release/layout.js";
import { releaseNames } from "../../release/list.js";
import { RecordLines } from "../../release/record-lines.js";
import { parseSnapshot } from "../../release/snapshot.js";
import { TemporaryDatabase } from "../../scratch/database.js";
import { createTurns } from "../../workers/turns.js";
import type { Difference } from "./compare.js";

/** The records before a step, or after it. */
type End = "from" | "to";

/** A bit for each key's hash: most keys of a long list are in no step, and need not be looked for in the table. */
const BITS = 2 ** 23;
/** Lines of a list that are read before a signal is looked at. */
const LINES_AT_ONCE = 2 ** 14;

/** The lines of a step by key, and the digests that its ends have for these keys, in a temporary file. */
export class StepTable {
  readonly #temporary = new TemporaryDatabase({
    tables: `CREATE TABLE lines (key TEXT PRIMARY KEY, digest TEXT, "from" TEXT, "to" TEXT) WITHOUT ROWID`,
    memory: 16_384,
    purpose: "compare a step with its ends in",
  });
  readonly #bits = new Uint8Array(BITS / 8);
  readonly #insert = this.#temporary.db.prepare("INSERT INTO lines (key, digest) VALUES (?, ?)");
  readonly #meet = {
    from: this.#temporary.db.prepare('UPDATE lines SET "from" = ? WHERE key = ?'),
    to: this.#temporary.db.prepare('UPDATE lines SET "to" = ? WHERE key = ?'),
  };

  /**
   * @param key as records.sha256 has it, byte by byte
   * @param digest of the record; null for a line that removes
   * @throws UserError when the temporary folder is full
   */
  add(key: string, digest: string | null): void {
    const bit = hashOf(key);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    this.#temporary.run(() => this.#insert.run(key, digest));
  }

  /** Takes all records of an end. @returns a digest of those of which the step has no line */
  async take(end: End, path: string, signal: AbortSignal | undefined): Promise<string> {
    const [list, others] = [new RecordLines(path), createHash("sha256")];
    const turn = createTurns(LINES_AT_ONCE, signal);
    try {
      for (let at = 0; list.hold(at, 1) > 0; at++) {
        await turn();
        const [key, digest] = [list.key(at), list.digest(at)];
        const bit = hashOf(key);
        const isCandidate = ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
        const isMet = isCandidate && this.#temporary.run(() => this.#meet[end].run(digest, key)).changes > 0;
        if (!isMet) others.update(`${digest}${key}\n`);
      }
    } finally {
      list.close();
    }
    return others.digest("hex");
  }

  /** The lines that contradict an end, all of whose records were taken. */
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

/** FNV-1a, cut to the number of a bit. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (BITS - 1);
}

/** @param from and `to`: the paths of lists of records, where they are there */
export async function checkEnds(
  table: StepTable,
  from: string | undefined,
  to: string | undefined,
  note: (difference: Difference) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const before = from === undefined ? undefined : await table.take("from", from, signal);
  const after = to === undefined ? undefined : await table.take("to", to, signal);
  // Records of which the step has no line are the same on both sides, in one order.
  if (before !== undefined && after !== undefined && before !== after)
    note({ found: "no line for a record that differs", expected: "a line for each" });
  if (before !== undefined) for (const flaw of table.flaws("from")) note(flaw);
  if (after !== undefined) for (const flaw of table.flaws("to")) note(flaw);
}

/** The path of a list of records of a state, in a release or in those beside it; the list has whole lines. */
export async function findList(release: string, state: string): Promise<string | undefined> {
  const memory = Buffer.allocUnsafe(2 ** 18);
  const releases = dirname(release);
  const isInDist = basename(releases) === RELEASES;
  const names = (isInDist && (await unlessUnreadable(() => releaseNames(dirname(releases))))) || [];
  for (const folder of [release, ...names.map((name) => join(releases, name))]) {
    const path = join(folder, RECORDS);
    const isFound = await unlessUnreadable(async () => {
      const said = parseSnapshot(String(readReleaseFileSync(join(folder, SNAPSHOT)) ?? ""))?.state;
      return said === state && (await findDigest(path, memory)) === state && isList(path);
    });
    if (isFound) return path;
  }
  return undefined;
}

/** What the system does not let us read is as if it were not there. */
async function unlessUnreadable<T>(step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (codeOf(error) === undefined && !(error instanceof UserError)) throw error;
    return undefined;
  }
}

/** @throws UserError for a line that is longer than a page */
function isList(path: string): boolean {
  const list = new RecordLines(path);
  try {
    return list.measure().rest === 0;
  } finally {
    list.close();
  }
}
