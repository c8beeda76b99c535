/** The lines of a packed text, one after the other while it is unpacked. */
import { ListingError, malformed } from "../errors.js";
import type { Bytes } from "../transfer.js";
import { unzip } from "./unzip.js";

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
  take?: (chunk: Uint8Array) => void,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  try {
    for await (const chunk of unzip(bytes)) {
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
    if (cause instanceof ListingError) throw cause;
    throw malformed(url, LINES, "other bytes", cause);
  }
  throw malformed(url, LINES, rest.slice(0, 80));
}
