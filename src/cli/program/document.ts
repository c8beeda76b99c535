/** Writes a long document in parts, to stdout or atomically to a file. */
import { stat, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hasCode } from "../../core/errors.js";
import { explainWrite } from "../../core/release/refusals.js";
import { AsideFile } from "../../core/release/writer.js";
import { createTurns } from "../../core/workers/turns.js";
import type { Io } from "./verb.js";

/** Writes a document. The reader of stdout may close it early. If the file cannot be written, no part of it is left. */
export async function writeDocument(
  given: AsyncIterable<string>,
  file: string | undefined,
  io: Io,
  signal?: AbortSignal,
): Promise<void> {
  const parts = stopped(given, signal);
  if (file === undefined) return writeOut(parts, io);
  let aside: AsideFile | undefined;
  const discard = () => aside?.discard();
  // An error can end the process at once, such as a failed write to standard error.
  io.signals.on("exit", discard);
  try {
    const there = await stat(file).catch(() => undefined);
    // Do not replace a device or a pipe by a file.
    if (there && !there.isFile()) return await writeFile(file, parts);
    aside = new AsideFile(file);
    for await (const part of parts) aside.write(part);
    aside.finish();
  } catch (cause) {
    throw explainWrite(file, cause, { another: "another file with --output", end: "." });
  } finally {
    io.signals.off("exit", discard);
    discard();
  }
}

/** Yields the parts, with pauses so that signals can be handled. */
async function* stopped(parts: AsyncIterable<string>, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const turn = createTurns(PARTS_AT_ONCE, signal);
  for await (const part of parts) {
    await turn();
    yield part;
  }
}

const PARTS_AT_ONCE = 16;

/** Writes to a stream that stays open. A reader that closes it early ends the writing; cli.ts reports its other errors. */
async function writeOut(parts: AsyncIterable<string>, { stdout }: Io): Promise<void> {
  try {
    await pipeline(parts, stdout, { end: false });
  } catch (error) {
    if (!hasCode(error, "EPIPE", "ERR_STREAM_PREMATURE_CLOSE")) throw error;
  }
}
