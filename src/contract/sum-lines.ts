/** The lines of SHA256SUMS, as builds, `verify` and readers in browsers read them: it imports nothing. */

/** One by one: a list of a million takes much memory. `sum` is there for a line whose path stays in the release. */
export function* readSumLines(text: string): Generator<{ line: string; sum?: { digest: string; path: string } }> {
  for (let begin = 0; ; ) {
    const end = text.indexOf("\n", begin);
    if (end < 0) return;
    const line = text.slice(begin, end);
    const [, digest = "", path = ""] = /^([0-9a-f]{64}) {2}(\S{1,4096})$/.exec(line) ?? [];
    const isInside = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
    yield isInside ? { line, sum: { digest, path } } : { line };
    begin = end + 1;
  }
}
