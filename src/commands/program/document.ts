/** Writes a long document in parts, to stdout or to a file, which appears only when it is complete. */
import { once } from "node:events";
import { stat, writeFile } from "node:fs/promises";
import { codeOf, UserError } from "../../errors.js";
import { AsideFile } from "../../release/writer.js";
import { createTurns } from "../../workers/turns.js";
import { unwritable } from "./failure.js";
import type { Io } from "./verb.js";

/** Without a file, it goes to stdout, whose reader may leave early. If it cannot be written, nothing of the file is left. */
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
    // A device or a pipe must not be replaced by a file.
    if (there && !there.isFile()) return await writeFile(file, parts);
    aside = new AsideFile(file);
    for await (const part of parts) aside.write(part);
    aside.finish();
  } catch (cause) {
    aside?.discard();
    if (cause instanceof UserError || codeOf(cause) === undefined) throw cause;
    throw unwritable(file, "--output", cause);
  }
}

/** The parts, with pauses: a stream that accepts everything at once would leave no time for signals. */
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

/** False when the reader has left. */
async function isDrained(stream: Io["stdout"]): Promise<boolean> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const drained = once(stream, "drain", { signal }).then(() => true);
    const closed = once(stream, "close", { signal }).then(() => false);
    return await Promise.race([drained, closed]);
  } catch {
    // Errors of the stream are handled where its listener is, in the command.
    return false;
  } finally {
    stop.abort();
  }
}
