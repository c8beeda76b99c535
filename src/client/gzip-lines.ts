/** Unpacks gzip, and gives the lines of its text one after the other. */
import { ListingError, malformed, tooLarge } from "./errors.js";
import type { Bytes } from "./requests.js";
import { createDecoder } from "./utf8.js";

/** Characters. */
const LONGEST_LINE = 64_000_000;

/**
 * @param take is given the plain bytes before their lines are.
 * @throws ListingError for bytes that do not unpack, are not text, or are cut
 */
export async function* linesOf(
  bytes: Bytes,
  url: string,
  signal: AbortSignal | undefined,
  take?: (chunk: Uint8Array) => void,
): AsyncGenerator<string, undefined> {
  const decoder = createDecoder();
  let partial = "";
  let why: unknown;
  try {
    for await (const chunk of unzip(bytes, url, signal)) {
      take?.(chunk);
      const lines = decoder.decode(chunk, { stream: true }).split("\n");
      lines[0] = partial + lines[0];
      partial = lines.pop() ?? "";
      if (partial.length > LONGEST_LINE) throw tooLarge(url, `${LONGEST_LINE} letters a line`);
      yield* lines;
    }
    // Fails for text that is cut within a character.
    if (decoder.decode() === partial) return;
  } catch (error) {
    if (error instanceof ListingError || signal?.aborted) throw error;
    why = error;
  }
  throw malformed(url, "whole lines in gzip", partial.slice(0, 80), why);
}

const HEADER_BYTES = 10;
/** Each costs as much as all before it, so a file may have only a few that mislead. */
const MOST_MISLEADING = 16;
/** Each costs a stream, even an empty one. */
const MOST_MEMBERS = 65_536;
/** Milliseconds of unpacking. */
const MOST_MS = 60_000;

/** Unpacks gzip of several members, of which DecompressionStream takes only one in some runtimes. @throws TypeError or the like */
async function* unzip(bytes: Bytes, url: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let [members, ms] = [0, 0];
  /** Limits the time that unpacking takes, without the time that the caller takes in between. */
  const timed = async <R>(read: () => Promise<R>): Promise<R> => {
    signal?.throwIfAborted();
    const began = Date.now();
    const result = await read();
    ms += Date.now() - began;
    if (ms > MOST_MS) throw new ListingError("too-large", url, "takes too long to unpack");
    return result;
  };
  // Unpacked on the way: its digest was compared.
  if (bytes[0] !== 0x1f && bytes[0] !== undefined) {
    yield bytes;
    return;
  }
  for (let begin = 0; begin < bytes.length; ) {
    if (++members > MOST_MEMBERS) throw tooLarge(url, `${MOST_MEMBERS} gzip members`);
    let [given, tries] = [0, 0];
    for (let end = nextHeader(bytes, begin); ; end = nextHeader(bytes, end)) {
      try {
        let skip = given;
        for await (const chunk of unzipOne(bytes.subarray(begin, end), timed)) {
          const fresh = chunk.subarray(skip);
          skip -= chunk.length - fresh.length;
          given += fresh.length;
          if (fresh.length > 0) yield fresh;
        }
        begin = end;
        break;
      } catch (error) {
        if (error instanceof ListingError || signal?.aborted) throw error;
        // These bytes were not the next header but packed data of this member, which is longer.
        if (end === bytes.length || ++tries > MOST_MISLEADING) throw error;
      }
    }
  }
}

/** Members that one program packed begin with equal bytes, which are very rare elsewhere. */
function nextHeader(bytes: Uint8Array, from: number): number {
  const [first = 0] = bytes;
  for (let at = bytes.indexOf(first, from + 1); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < HEADER_BYTES && bytes[at + same] === bytes[same]) same++;
    if (same === HEADER_BYTES) return at;
  }
  return bytes.length;
}

async function* unzipOne(bytes: Bytes, timed: <R>(read: () => Promise<R>) => Promise<R>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  // When these fail, the reader fails, too.
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
