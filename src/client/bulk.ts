/** Reads all records of a snapshot by the bulk parts of a release. */
import { malformed, usage } from "./errors.js";
import { linesOf } from "./gzip-lines.js";
import { PARTS_AT_ONCE } from "./open-host.js";
import { objectOf } from "./utf8.js";
import type { Host, View } from "./view.js";
import type { PageSource } from "./walk.js";

const BULK_BYTES = 16_000_000;

/**
 * The source of records by bulk parts.
 * @param open returns the function that reads a record's canonical text. @throws ListingError (usage) if the release has no parts
 */
export async function bulkRecords<R>(
  { baseUrl, parts: limit }: Host,
  view: View,
  signal: AbortSignal | undefined,
  open: () => Promise<(text: string, url: string) => R>,
): Promise<PageSource<R>> {
  const url = `${baseUrl}/bulk.json`;
  const { count } = view.snapshot;
  const said = objectOf(await view.readFile("bulk.json", { maxBytes: BULK_BYTES }, signal), url)["parts"];
  const parts = Array.isArray(said) ? said : [];
  const fileOf = (number: number) => `bulk/${number}.ndjson.gz`;
  /** Number of records up to the end of each part. */
  const ends: number[] = [];
  for (const part of parts) {
    const file = fileOf(ends.length + 1);
    if (part?.file !== file || !isCount(part.count)) throw malformed(url, file, part);
    const { members } = part;
    if (members === undefined)
      throw usage(url, "does not list gzip members, so another version made it; read by pages");
    if (!Array.isArray(members) || !members.every(isCount)) throw malformed(url, "the bytes of each member", members);
    ends.push((ends.at(-1) ?? 0) + part.count);
  }
  if (ends.at(-1) !== count) throw malformed(url, `parts with ${count} records`, ends.at(-1));
  return {
    atOnce: PARTS_AT_ONCE,
    last: ends.length,
    first: (records) => ends.filter((end) => end <= records).length + 1,
    // With Content-Encoding, the runtime has unpacked the part, so the digest of the plain bytes is accepted too.
    read: (number, from) => view.readFile(fileOf(number), limit, from, `${parts[number - 1].sha256}`),
    // Yields lines while the part is being unpacked.
    async *items(number, bytes, records) {
      const read = await open();
      const from = `${baseUrl}/${fileOf(number)}`;
      const end = ends[number - 1] as number;
      let at = ends[number - 2] ?? 0;
      for await (const line of linesOf(bytes, parts[number - 1].members, from, signal)) {
        if (++at > end) break;
        if (at > records) yield [read(line, from), at];
      }
      if (at !== end) throw malformed(from, `lines up to record ${end}`, at > end ? "more" : at);
    },
  };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
