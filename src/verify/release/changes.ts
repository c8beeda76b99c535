/** Checks changes.json and the form of its steps. A client computes the state after each step, so a wrong one costs bytes, not data. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Changes, encodeChanges, parseChanges, type Step } from "../../artifacts/steps.js";
import { mostPlainBytes } from "../../client/sync/steps.js";
import { parseJson } from "../../contract/json.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { fromBytes, type OrderKey, toBytes } from "../../contract/record/key.js";
import { shorten, showValue } from "../../print/text.js";
import { CHANGES, CHANGES_FOLDER, isPart, MAX_PACKED } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { listFiles } from "../../release/sums.js";
import type { Findings } from "../verdict.js";
import { readIndex, unpack } from "./bulk.js";
import type { Difference, Note } from "./comparing-sink.js";
import type { FileDigests } from "./files.js";
import { type RecordChecker, recordChecker } from "./records.js";

const NEWLINE = 0x0a;
const PUT = '{"put":';
const REMOVE = '{"remove":';
const END = "}";
/** Maximum bytes of a line. */
const LONGEST_LINE = 2 ** 26;
/** Maximum characters of a shown text. */
const LONGEST_SHOWN = 60;

const INDEX = {
  path: CHANGES,
  folder: CHANGES_FOLDER,
  what: "the steps to this state",
  one: "step",
  parse: parseChanges,
  encode: encodeChanges,
  filesOf: ({ steps }: Changes) => steps,
};

/** Checks changes.json and all steps. */
export async function checkChanges(
  release: Release,
  digests: FileDigests,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, snapshot, contract } = release;
  const note: Note = (path, difference) => findings.add({ check: "changes", path, ...difference });
  const changes = readIndex(folder, digests, INDEX, note);
  if (!changes) return;
  if (changes.state !== snapshot.state)
    note(CHANGES, { found: `state ${changes.state}`, expected: `${snapshot.state}, as in snapshot.json` });
  checkSize(release, changes, note);
  const checker = recordChecker(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  for (const step of changes.steps) {
    const difference = digests.has(step.file) && (await checkStep(folder, step, checker, signal));
    if (difference) note(step.file, difference);
  }
}

/** Checks that all steps together are at most half the size of the parts or, without parts, of the pages. */
function checkSize({ folder, sums }: Release, { steps }: Changes, note: Note): void {
  const sum = (isSelected: (path: string) => boolean) => {
    let bytes = 0;
    for (const [path] of listFiles(sums))
      if (isSelected(path)) bytes += statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0;
    return bytes;
  };
  const isPage = (kind: string) => (path: string) => sums.paths.find(path)?.variant === kind;
  const all = sum(isPart) || sum(isPage("gzip")) || sum(isPage("identity"));
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) note(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
}

/** Checks a step. Decompresses no more bytes than readers do. */
async function checkStep(
  folder: string,
  step: Step,
  checker: RecordChecker,
  signal: AbortSignal | undefined,
): Promise<Difference | undefined> {
  const path = join(folder, step.file);
  const { size } = statSync(path);
  if (size > MAX_PACKED) return undefined;
  const hash = createHash("sha256");
  const most = mostPlainBytes(size);
  const lines = new StepLines(checker);
  let bytes = 0;
  const difference = await unpack(path, signal, (plain) => {
    bytes += plain.length;
    hash.update(plain);
    if (bytes > most) return { found: "more plain bytes", expected: `at most ${most}, for a file of ${size}` };
    return lines.add(plain);
  });
  return difference ?? lines.atEnd() ?? compareCounts(step, lines.counts, hash.digest("hex"));
}

function compareCounts(step: Step, { put, remove }: StepLines["counts"], sha256: string): Difference | undefined {
  if (put !== step.put || remove !== step.remove)
    return {
      found: `${put} lines that put and ${remove} that remove`,
      expected: `${step.put} and ${step.remove}, as in ${CHANGES}`,
    };
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

  constructor(private readonly checker: RecordChecker) {}

  add(plain: Buffer): Difference | undefined {
    let begin = 0;
    for (let end = plain.indexOf(NEWLINE); end >= 0; end = plain.indexOf(NEWLINE, begin)) {
      const difference = this.#takeLine(Buffer.concat([...this.#begun, plain.subarray(begin, end)]));
      if (difference) return difference;
      this.#begun = [];
      this.#begunBytes = 0;
      begin = end + 1;
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
    const [flaw] = flaws;
    if (flaw) return { ...(flaw.id !== undefined && { id: flaw.id }), found: flaw.found, expected: flaw.expected };
    const key = keys[0]?.at(-1);
    if (key === undefined) return this.#wrong(showBytes(record), "a record with its key");
    return this.#add(key, "put");
  }

  #remove(bytes: Buffer): Difference | undefined {
    const { kind } = this.checker.contract.key;
    const text = bytes.toString("utf8");
    const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
    const value = "why" in read || JSON.stringify(read.value) !== text ? undefined : read.value;
    if (kind === "text" ? typeof value !== "string" : !Number.isSafeInteger(value))
      return this.#wrong(showBytes(bytes), `a key of ${kind}, as JSON`);
    return this.#add(typeof value === "string" ? toBytes(value) : (value as number), "remove");
  }

  /** Adds a key, which must come after the one before. @param key a text has one character per byte */
  #add(key: Key, kind: "put" | "remove"): Difference | undefined {
    const last = this.#last;
    this.#last = key;
    if (last !== undefined && key <= last)
      return this.#wrong(`${show(key)} after ${show(last)}`, "each key once, in their order");
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
