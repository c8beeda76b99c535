/** Writes a long document in parts, to stdout or atomically to a file. */
import { once } from "node:events";
import { stat, writeFile } from "node:fs/promises";
import { codeOf, UserError } from "../../errors.js";
import { AsideFile } from "../../release/writer.js";
import { createTurns } from "../../workers/turns.js";
import { unwritableFile } from "./failure.js";
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
  try {
    const there = await stat(file).catch(() => undefined);
    // Do not replace a device or a pipe by a file.
    if (there && !there.isFile()) return await writeFile(file, parts);
    aside = new AsideFile(file);
    for await (const part of parts) aside.write(part);
    aside.finish();
  } catch (cause) {
    aside?.discard();
    if (cause instanceof UserError || codeOf(cause) === undefined) throw cause;
    throw unwritableFile(file, "--output", cause);
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

async function writeOut(parts: AsyncIterable<string>, { stdout }: Io): Promise<void> {
  for await (const part of parts) if (!stdout.write(part) && !(await isDrained(stdout))) return;
}

/** Waits until a stream can take more. @returns false if its reader has closed it */
async function isDrained(stream: Io["stdout"]): Promise<boolean> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const drained = once(stream, "drain", { signal }).then(() => true);
    const closed = once(stream, "close", { signal }).then(() => false);
    return await Promise.race([drained, closed]);
  } catch {
    // The listener in cli.ts handles errors of the stream.
    return false;
  } finally {
    stop.abort();
  }
}
