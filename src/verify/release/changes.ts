/** Checks changes.json and its steps: their form, and that each is what differs between its ends, where those are there. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Changes, encodeChanges, parseChanges, type Step } from "../../artifacts/steps/steps.js";
import { mostPlainBytes } from "../../client/sync/steps.js";
import { parseJson } from "../../contract/json.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { fromBytes, type OrderKey, toBytes, writeKey } from "../../contract/record/key.js";
import { shorten, showValue } from "../../print/text.js";
import { CHANGES, CHANGES_FOLDER, isPart, MAX_PACKED, RECORDS } from "../../release/layout.js";
import { recordDigest } from "../../release/record-lines.js";
import type { Findings } from "../verdict.js";
import { type Note, readIndex, unpack } from "./bulk.js";
import type { Difference } from "./compare.js";
import type { OpenRelease } from "./manifest.js";
import { type RecordChecker, recordChecker } from "./records.js";
import { checkEnds, findList, StepTable } from "./step-ends.js";

const NEWLINE = 0x0a;
const [PUT, REMOVE, END] = ['{"put":', '{"remove":', "}"];
/** Bytes of a line: as many as a host's answer may have. */
const LONGEST_LINE = 2 ** 26;
/** Characters of a text that differs. */
const LONGEST_SHOWN = 60;

const INDEX = {
  ...{ path: CHANGES, folder: CHANGES_FOLDER, what: "the steps to this state", one: "step" },
  ...{ parse: parseChanges, encode: encodeChanges, filesOf: ({ steps }: Changes) => steps },
};

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

/** A reader who takes all steps must not move more than half of what there is without them: the parts, else the pages. */
function checkSize({ folder, tree, manifest }: OpenRelease, { steps }: Changes, note: Note): void {
  const sum = (isMeant: (path: string) => boolean) => {
    let bytes = 0;
    for (const path of tree.files()) if (isMeant(path)) bytes += statSync(join(folder, path)).size;
    return bytes;
  };
  const isPage = (kind: string) => (path: string) => manifest.paths.find(path)?.variant === kind;
  const all = sum(isPart) || sum(isPage("gzip")) || sum(isPage("identity"));
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) note(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
}

/** Unpacks no more than readers do. */
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

/** Takes plain bytes piece by piece. Each call returns the first thing that is wrong, after which there must be no other. */
class StepLines {
  readonly counts = { put: 0, remove: 0 };
  /** What has come of a line that is not at its end. */
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

  /** Every key comes after the one before. @param key a text byte by byte */
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
