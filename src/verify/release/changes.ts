/** Checks changes.json and the form of its steps. A client computes the state after each step, so a wrong one costs bytes, not data. */
import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { join } from "node:path";
import { bytesOfAll, type Changes, encodeChanges, parseChanges, type Step } from "../../artifacts/steps.js";
import { mostPlainBytes } from "../../client/sync/steps.js";
import { parseJson } from "../../contract/json.js";
import { AVATAR_PATH } from "../../contract/links.js";
import { fromBytes, type OrderKey, toBytes } from "../../contract/record/key.js";
import { shorten, showValue } from "../../print/text.js";
import { CHANGES, CHANGES_FOLDER, MAX_PACKED } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import type { Findings } from "../verdict.js";
import { noteIfWrong, readIndex, unpack, WrongFile } from "./bulk.js";
import type { FileDigests, Note } from "./files.js";
import { PlainHash } from "./lines.js";
import { type RecordChecker, recordChecker } from "./records.js";

const NEWLINE = 0x0a;
/** A line that puts a record, or removes a key. Both texts have one character a byte. */
const LINE = /^\{"(put|remove)":(.*)\}$/s;
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
  const all = bytesOfAll(release);
  const bytes = changes.steps.reduce((sum, step) => sum + step.bytes, 0);
  if (2 * bytes > all) note(CHANGES, { found: `steps of ${bytes} bytes`, expected: `at most half of ${all}` });
  const checker = recordChecker(contract, `${snapshot.base_url}/${AVATAR_PATH}`);
  for (const step of changes.steps)
    if (digests.has(step.file))
      await noteIfWrong(step.file, note, checkStep(join(folder, step.file), step, checker, signal));
}

/** Checks a step. Decompresses no more bytes than readers do. @throws WrongFile */
async function checkStep(
  path: string,
  step: Step,
  checker: RecordChecker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { size } = statSync(path);
  if (size > MAX_PACKED) return;
  const most = mostPlainBytes(size);
  const hash = new PlainHash();
  const take = (plain: Buffer) => {
    hash.update(plain);
    if (hash.bytes > most)
      throw new WrongFile({ found: "more plain bytes", expected: `at most ${most}, for a file of ${size}` });
  };
  const counts = { put: 0, remove: 0 };
  let last: Key | undefined;
  for await (const [number, line] of linesOf(unpack(path, signal), take)) {
    const { kind, key } = readLine(line, number, checker);
    if (last !== undefined && key <= last)
      throw wrongLine(number, `${show(key)} after ${show(last)}`, "each key once, in their order");
    last = key;
    counts[kind]++;
  }
  const { put, remove } = counts;
  if (put !== step.put || remove !== step.remove)
    throw new WrongFile({
      found: `${put} lines that put and ${remove} that remove`,
      expected: `${step.put} and ${step.remove}, as in ${CHANGES}`,
    });
  if (hash.sha256 !== step.sha256)
    throw new WrongFile({ found: `plain bytes of ${hash.sha256}`, expected: `${step.sha256}, as in ${CHANGES}` });
}

/** Yields the lines of a step with their numbers. @param take called with each piece before its lines are yielded. @throws WrongFile */
async function* linesOf(
  pieces: AsyncIterable<Buffer>,
  take: (piece: Buffer) => void,
): AsyncGenerator<[number: number, line: Buffer], void> {
  let number = 1;
  /** The beginning of an unfinished line. */
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    take(piece);
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, begin)) {
      yield [number, Buffer.concat([...begun, piece.subarray(begin, end)])];
      number++;
      begun = [];
      bytes = 0;
      begin = end + 1;
    }
    begun.push(piece.subarray(begin));
    bytes += piece.length - begin;
    if (bytes > LONGEST_LINE)
      throw wrongLine(number, `more than ${LONGEST_LINE} bytes`, "a line that puts a record or removes a key");
  }
  if (bytes > 0) throw wrongLine(number, "no newline at its end", "a newline after every line");
}

/** A key. A text has one character per byte. */
type Key = OrderKey[number];

/** Reads the key of a line. @throws WrongFile */
function readLine(line: Buffer, number: number, checker: RecordChecker): { kind: "put" | "remove"; key: Key } {
  const [, kind, inside = ""] = LINE.exec(line.toString("latin1")) ?? [];
  const bytes = Buffer.from(inside, "latin1");
  if (kind === "put") {
    const { keys, flaws } = checker.checkText(bytes, [[0, bytes.length]], {});
    const [flaw] = flaws;
    if (flaw) {
      const { check: _, ...difference } = flaw;
      throw new WrongFile(difference);
    }
    const key = keys[0]?.at(-1);
    if (key === undefined) throw wrongLine(number, showBytes(bytes), "a record with its key");
    return { kind, key };
  }
  if (kind !== "remove") throw wrongLine(number, showBytes(line), '{"put":a record} or {"remove":a key}');
  const text = bytes.toString("utf8");
  const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
  const value = "why" in read || JSON.stringify(read.value) !== text ? undefined : read.value;
  const { kind: keyKind } = checker.contract.key;
  if (keyKind === "text" && typeof value === "string") return { kind, key: toBytes(value) };
  if (keyKind !== "text" && Number.isSafeInteger(value)) return { kind, key: Number(value) };
  throw wrongLine(number, showBytes(bytes), `a key of ${keyKind}, as JSON`);
}

function wrongLine(number: number, found: string, expected: string): WrongFile {
  return new WrongFile({ found: `${found}, in line ${number}`, expected });
}

function show(key: Key): string {
  return shorten(typeof key === "string" ? fromBytes(key) : String(key), LONGEST_SHOWN);
}

function showBytes(bytes: Buffer): string {
  return showValue(bytes.toString("utf8", 0, LONGEST_SHOWN));
}
