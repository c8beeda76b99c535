/** Writes a step while its records are read: what differs between two releases, a line a record, in the order of keys. */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { mostPlainBytes } from "../../client/sync/steps.js";
import type { KeyedChange, Matches } from "../../diff/match.js";
import { RecordReader } from "../../diff/records.js";
import type { Side } from "../../diff/side.js";
import { CHANGES_FOLDER } from "../../release/layout.js";
import { makeFolder } from "../../release/sharing.js";
import { asidePath, DigestedFile } from "../../release/writer.js";
import { putLine, removeLine } from "./lines.js";
import { type Step, stepPath } from "./steps.js";

/** A step of a release, with the digest of its file. */
export interface StepFile {
  step: Step;
  digest: string;
}

export interface StepOptions {
  from: string;
  to: string;
  /** Bytes that its file may have. */
  most: number;
  signal: AbortSignal | undefined;
}

/** Where gzip names the system that made a file, and what stands there for an unknown one. */
const [SYSTEM_AT, UNKNOWN_SYSTEM] = [9, 0xff];
const CHUNK = 2 ** 16;

/**
 * Writes the step to a side, whose folder it is put into.
 * @returns undefined where it would be larger than it may be, or so well packed that no reader should have to unpack it.
 */
export async function writeStep(matches: Matches, side: Side, options: StepOptions): Promise<StepFile | undefined> {
  // A folder is made for a step that there is.
  const aside = asidePath(join(side.folder, CHANGES_FOLDER));
  const writing = new StepWriting(aside, matches, options);
  try {
    await pipeline(writing.plain(side), createGzip({ level: 6, memLevel: 9, chunkSize: CHUNK }), (packed) =>
      writing.write(packed),
    );
    const written = writing.finish();
    if (!written) {
      rmSync(aside);
      return undefined;
    }
    makeFolder(side.folder, CHANGES_FOLDER);
    renameSync(aside, join(side.folder, written.step.file));
    return written;
  } finally {
    writing.close();
  }
}

class StepWriting {
  readonly #file: DigestedFile;
  readonly #plain = createHash("sha256");
  #plainBytes = 0;
  readonly #done = { put: 0, remove: 0 };

  constructor(
    path: string,
    private readonly matches: Matches,
    private readonly options: StepOptions,
  ) {
    this.#file = new DigestedFile(path);
  }

  /** The lines, some at once, as long as the step may become small enough. */
  *plain(side: Side): Generator<Buffer> {
    const encode = lineEncoder(side);
    let [lines, length]: [Buffer[], number] = [[], 0];
    for (const change of this.matches.byKey()) {
      const line = encode(change);
      this.#done[change.isPut ? "put" : "remove"]++;
      length += line.length;
      lines.push(line);
      if (length < CHUNK) continue;
      if (this.#file.bytes > this.options.most) return;
      yield this.#count(Buffer.concat(lines));
      [lines, length] = [[], 0];
    }
    yield this.#count(Buffer.concat(lines));
  }

  async write(packed: AsyncIterable<Buffer>): Promise<void> {
    for await (const bytes of packed) {
      if (this.#file.bytes === 0) bytes[SYSTEM_AT] = UNKNOWN_SYSTEM;
      this.#file.write(bytes);
    }
  }

  finish(): StepFile | undefined {
    const { from, to, most } = this.options;
    const { bytes } = this.#file;
    if (this.#left() > 0 || bytes > most || this.#plainBytes > mostPlainBytes(bytes)) return undefined;
    const facts = { from, to, file: stepPath(from, to), bytes, ...this.#done };
    return { step: { ...facts, sha256: this.#plain.digest("hex") }, digest: this.#file.finish() };
  }

  close(): void {
    this.#file.close();
  }

  #count(plain: Buffer): Buffer {
    this.options.signal?.throwIfAborted();
    this.#plain.update(plain);
    this.#plainBytes += plain.length;
    return plain;
  }

  /** Changes that no line was made of. */
  #left(): number {
    const { added, removed, changed } = this.matches.counts;
    return added + removed + changed - this.#done.put - this.#done.remove;
  }
}

function lineEncoder(side: Side): (change: KeyedChange) => Buffer {
  const { contract } = side.facts;
  const reader = new RecordReader(side);
  return (change) => (change.isPut ? putLine(reader.readText(change)) : removeLine(contract, change.key));
}
