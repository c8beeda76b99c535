/** Lines of SHA256SUMS, from wherever its bytes come. */
import { DIGITS } from "./layout.js";

const NEWLINE = 10;
/** Bytes of the longest path, a digest and what is between them. What is longer is cut: it is no line of SHA256SUMS. */
const LONGEST = 4096 * 3 + DIGITS + 2;

interface SumLine {
  line: string;
  /** False for what stands behind the last newline, and is not too long. */
  isWhole: boolean;
  /** There for a line whose path stays in the release. */
  sum?: { digest: string; path: string };
}

/** One by one: a list of a million takes much memory. A line that is too long is the last one. */
export function* readSumLines(pieces: Iterable<Uint8Array>): Generator<SumLine> {
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, begin)) {
      yield readSumLine(Buffer.concat([rest, piece.subarray(begin, end)]), true);
      [begin, rest] = [end + 1, Buffer.alloc(0)];
    }
    rest = Buffer.concat([rest, piece.subarray(begin)]).subarray(0, LONGEST + 1);
    // Whoever looked for its end might read a terabyte of nothing.
    if (rest.length > LONGEST) break;
  }
  if (rest.length > 0) yield readSumLine(rest, rest.length > LONGEST);
}

function readSumLine(bytes: Buffer, isWhole: boolean): SumLine {
  const line = bytes.toString("utf8", 0, LONGEST + 1);
  const [, digest = "", path = ""] = /^([0-9a-f]{64}) {2}(\S{1,4096})$/.exec(line) ?? [];
  const isInside = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isInside && bytes.length <= LONGEST ? { line, isWhole, sum: { digest, path } } : { line, isWhole };
}
