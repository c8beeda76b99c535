/** The lines of a packed text, one after the other while it is unpacked. */
import { ListingError, malformed } from "./errors.js";
import type { Bytes } from "./transfer.js";

/** Characters. */
const LONGEST_LINE = 64_000_000;
const LINES = "whole lines in gzip";

/**
 * @param take is given the plain bytes before their lines are.
 * @throws ListingError for what does not unpack, is no text, or is cut
 */
export async function* linesOf(
  bytes: Bytes,
  url: string,
  signal: AbortSignal | undefined,
  take?: (chunk: Uint8Array) => void,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  try {
    for await (const chunk of unzip(bytes, url, signal)) {
      take?.(chunk);
      const lines = decoder.decode(chunk, { stream: true }).split("\n");
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE)
        throw new ListingError("too-large", url, "is too large", `lines of ${LONGEST_LINE} letters`, "more");
      yield* lines;
    }
    // What is cut within a character fails here.
    if (decoder.decode() === rest) return;
  } catch (cause) {
    if (cause instanceof ListingError || signal?.aborted) throw cause;
    throw malformed(url, LINES, "other bytes", cause);
  }
  throw malformed(url, LINES, rest.slice(0, 80));
}

const HEADER_BYTES = 10;
/** Each costs as much as all before it, so no file is to have many that mislead. */
const MOST_MISLEADING = 16;
/** Each costs a stream, even where it is empty. */
const MOST_MEMBERS = 65_536;
/** Milliseconds of unpacking. */
const MOST_MS = 60_000;

/** Unpacks gzip of several members, of which the DecompressionStream of some runtimes takes only one. @throws TypeError or the like for what is no gzip, or cut. */
async function* unzip(bytes: Bytes, url: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let [members, ms] = [0, 0];
  /** Holds what was asked of the stream to the limits; the time that others take between does not count. */
  const timed = async <R>(read: () => Promise<R>): Promise<R> => {
    signal?.throwIfAborted();
    const began = Date.now();
    const result = await read();
    ms += Date.now() - began;
    if (ms > MOST_MS) throw new ListingError("too-large", url, "takes too long to unpack");
    return result;
  };
  // Unpacked on the way, as its digest has shown.
  if (bytes[0] !== 0x1f && bytes[0] !== undefined) {
    yield bytes;
    return;
  }
  for (let begin = 0; begin < bytes.length; ) {
    if (++members > MOST_MEMBERS) throw new ListingError("too-large", url, `has more than ${MOST_MEMBERS} members`);
    let [given, tries] = [0, 0];
    for (let end = nextHeader(bytes, begin); ; end = nextHeader(bytes, end)) {
      try {
        let skip = given;
        for await (const chunk of unzipOne(bytes.subarray(begin, end), timed)) {
          const rest = chunk.subarray(skip);
          skip -= chunk.length - rest.length;
          given += rest.length;
          if (rest.length > 0) yield rest;
        }
        begin = end;
        break;
      } catch (error) {
        if (error instanceof ListingError || signal?.aborted) throw error;
        // What looked like the next header was within the packed bytes of this one, which are longer.
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
  // Both fail, as the reader does, which tells.
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
