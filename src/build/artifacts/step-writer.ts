/** Writes a step: the changed records between two releases, one a line, sorted by key. */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { mostPlainBytes } from "../../client/sync/steps.js";
import type { KeyedChange, Matches } from "../../core/compare/match.js";
import { PageRecordReader } from "../../core/compare/records.js";
import type { Side } from "../../core/compare/side.js";
import { keyText } from "../../core/contract/record/key.js";
import { CHANGES_FOLDER } from "../../core/release/layout.js";
import { makeFolder } from "../../core/release/sharing.js";
import { asidePath, DigestedFile } from "../../core/release/writer.js";
import { hideSystem } from "./artifact.js";
import { type StepFile, stepPath } from "./steps.js";

interface StepOptions {
  from: string;
  to: string;
  /** Maximum size of its file. */
  most: number;
  signal: AbortSignal | undefined;
}

const CHUNK = 2 ** 16;

/**
 * Writes the step that leads to a side, into the side's folder.
 * @returns undefined if it would exceed `most`, or if its compression ratio is too high for readers to unpack it safely.
 */
export async function writeStep(
  matches: Matches,
  side: Side,
  { from, to, most, signal }: StepOptions,
): Promise<StepFile | undefined> {
  // The folder is created only if the step is kept.
  const aside = asidePath(join(side.folder, CHANGES_FOLDER));
  const file = new DigestedFile(aside);
  const hash = createHash("sha256");
  const done = { put: 0, remove: 0 };
  let plainBytes = 0;
  const count = (lines: Buffer[]) => {
    signal?.throwIfAborted();
    const plain = Buffer.concat(lines);
    hash.update(plain);
    plainBytes += plain.length;
    return plain;
  };
  /** Yields lines in chunks. Stops when the step is too large. */
  const plain = function* () {
    const encode = lineEncoder(side);
    let lines: Buffer[] = [];
    let length = 0;
    for (const change of matches.byKey()) {
      const line = encode(change);
      done[change.isPut ? "put" : "remove"]++;
      length += line.length;
      lines.push(line);
      if (length < CHUNK) continue;
      if (file.bytes > most) return;
      yield count(lines);
      lines = [];
      length = 0;
    }
    yield count(lines);
  };
  const write = async (packed: AsyncIterable<Buffer>) => {
    for await (const bytes of packed) {
      if (file.bytes === 0) hideSystem(bytes);
      file.write(bytes);
    }
  };
  try {
    await pipeline(plain, createGzip({ level: 6, memLevel: 9, chunkSize: CHUNK }), write);
    const { added, removed, changed } = matches.counts;
    const { bytes } = file;
    const isWhole = done.put + done.remove === added + removed + changed;
    if (!isWhole || bytes > most || plainBytes > mostPlainBytes(bytes)) {
      rmSync(aside);
      return undefined;
    }
    const step = { from, to, file: stepPath(from, to), bytes, ...done, sha256: hash.digest("hex") };
    const digest = file.finish();
    makeFolder(side.folder, CHANGES_FOLDER);
    renameSync(aside, join(side.folder, step.file));
    return { step, digest };
  } finally {
    file.close();
  }
}

function lineEncoder(side: Side): (change: KeyedChange) => Buffer {
  const { contract } = side.facts;
  const reader = new PageRecordReader(side);
  return (change) =>
    change.isPut
      ? Buffer.concat([Buffer.from('{"put":'), reader.readText(change), Buffer.from("}\n")])
      : Buffer.from(`{"remove":${keyText(contract, change.key)}}\n`, "latin1");
}
