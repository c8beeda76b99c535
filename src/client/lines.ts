/** The lines of a packed text, one after the other while it is unpacked. */
import { ListingError } from "./errors.js";
import type { Bytes } from "./transfer.js";
import { unzip } from "./unzip.js";

const LONGEST_LINE = 64_000_000;
const NEWLINE = 10;

/** @throws ListingError for what does not unpack, is no text, or is cut */
export async function* linesOf(bytes: Bytes, url: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > LONGEST_LINE)
      throw new ListingError("too-large", url, "has a line that is too long", `at most ${LONGEST_LINE} bytes`, "more");
    parts.push(part);
  };
  try {
    for await (const chunk of unzip(bytes)) {
      let begin = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
        keep(chunk.subarray(begin, end));
        let line = "";
        for (const part of parts) line += decoder.decode(part, { stream: true });
        line += decoder.decode();
        [parts, length, begin] = [[], 0, end + 1];
        yield line;
      }
      if (begin < chunk.length) keep(chunk.slice(begin));
    }
  } catch (cause) {
    if (cause instanceof ListingError) throw cause;
    throw new ListingError("malformed", url, "does not unpack", "lines of text in gzip", "other bytes", cause);
  }
  if (length > 0) throw new ListingError("malformed", url, "is cut", "a newline at its end", "none");
}
