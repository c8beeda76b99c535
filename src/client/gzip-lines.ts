/** Unpacks gzip, and yields the lines of its text. */
import { ListingError, malformed, tooLarge } from "./errors.js";
import type { Bytes } from "./requests.js";
import { createDecoder } from "./utf8.js";

/** Maximum characters of a line. */
const LONGEST_LINE = 64_000_000;

/**
 * Yields the lines of a gzip file.
 * @param members the bytes of each gzip member
 * @param take called with plain bytes before their lines are yielded.
 * @throws ListingError for bytes that are not gzip, not text, or incomplete
 */
export async function* linesOf(
  bytes: Bytes,
  members: readonly number[],
  url: string,
  signal: AbortSignal | undefined,
  take?: (chunk: Uint8Array) => void,
): AsyncGenerator<string, undefined> {
  const decoder = createDecoder();
  let partial = "";
  let why: unknown;
  try {
    for await (const chunk of unzip(bytes, members, url, signal)) {
      take?.(chunk);
      const lines = decoder.decode(chunk, { stream: true }).split("\n");
      lines[0] = partial + lines[0];
      partial = lines.pop() ?? "";
      if (partial.length > LONGEST_LINE) throw tooLarge(url, `${LONGEST_LINE} characters a line`);
      yield* lines;
    }
    // Throws for an incomplete character at the end.
    if (decoder.decode() === partial) return;
  } catch (error) {
    if (error instanceof ListingError || signal?.aborted) throw error;
    why = error;
  }
  throw malformed(url, "complete lines in gzip", partial.slice(0, 80), why);
}

/** Maximum number of members, since each needs a stream. */
const MOST_MEMBERS = 65_536;
/** Maximum milliseconds of unpacking. */
const MOST_MS = 60_000;

/** Unpacks gzip member by member, since some runtimes' DecompressionStream reads only one. @throws TypeError or similar */
async function* unzip(
  bytes: Bytes,
  members: readonly number[],
  url: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  // Already unpacked by the runtime.
  if (bytes[0] !== 0x1f && bytes[0] !== undefined) {
    yield bytes;
    return;
  }
  if (members.length > MOST_MEMBERS) throw tooLarge(url, `${MOST_MEMBERS} gzip members`);
  let ms = 0;
  /** Limits the time of unpacking, not counting the caller's time. */
  const timed = async <R>(read: () => Promise<R>): Promise<R> => {
    signal?.throwIfAborted();
    const began = Date.now();
    const result = await read();
    ms += Date.now() - began;
    if (ms > MOST_MS) throw new ListingError("too-large", url, "takes too long to unpack");
    return result;
  };
  let begin = 0;
  for (const length of members) {
    yield* unzipOne(bytes.subarray(begin, begin + length), timed);
    begin += length;
  }
  if (begin !== bytes.length) throw new RangeError(`its members have ${begin} bytes, and it has ${bytes.length}`);
}

async function* unzipOne(bytes: Bytes, timed: <R>(read: () => Promise<R>) => Promise<R>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  // Their errors reach the reader.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await timed(() => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
