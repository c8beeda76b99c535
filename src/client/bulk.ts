/** All records from the few large files of a release that was built with --bulk. */
import { FILE_BYTES } from "./bytes.js";
import { objectOf } from "./checked.js";
import { malformed } from "./errors.js";
import { linesOf } from "./lines.js";
import type { Ground } from "./proof/ground.js";
import type { Course } from "./walk.js";

const BULK = "bulk.json";
const BULK_BYTES = 16_000_000;
/** A part is in memory whole: the one that is read now, and one ahead. */
const PARTS_AT_ONCE = 2;

/**
 * @param read what a walk hands out of a line.
 * @throws ListingError (usage) where the release has no such files
 */
export async function bulkCourse<T>(
  ground: Ground,
  baseUrl: string,
  signal: AbortSignal | undefined,
  read = (line: string, url: string) => objectOf(line, url) as T,
): Promise<Course<T>> {
  const url = `${baseUrl}/${BULK}`;
  const ends = endsOf(await ground.readFile(BULK, BULK_BYTES, signal), url, ground.snapshot.count);
  return {
    atOnce: PARTS_AT_ONCE,
    last: ends.length,
    first: (records) => ends.filter((end) => end <= records).length + 1,
    read: (number, from) => ground.readFile(fileOf(number), FILE_BYTES, from),
    // Line by line, while the part is unpacked.
    async *items(number, bytes, records) {
      const from = `${baseUrl}/${fileOf(number)}`;
      const end = ends[number - 1] as number;
      let at = ends[number - 2] ?? 0;
      for await (const line of linesOf(bytes, from)) {
        if (++at > end) break;
        if (at > records) yield [read(line, from), at];
      }
      if (at !== end) throw malformed(from, `lines up to record ${end}`, at > end ? "more" : at);
    },
  };
}

const fileOf = (number: number) => `bulk/${number}.ndjson.gz`;

/** How many records there are with those of each part. @throws ListingError (malformed) unless they are all that there are */
function endsOf(bytes: Uint8Array, url: string, count: number): number[] {
  const { parts } = objectOf(bytes, url);
  let records = 0;
  const ends = (Array.isArray(parts) ? parts : []).map((part, at) => {
    if (part?.file !== fileOf(at + 1) || !Number.isSafeInteger(part.count) || part.count < 0)
      throw malformed(url, fileOf(at + 1), part);
    records += part.count;
    return records;
  });
  if (records !== count || ends.length === 0) throw malformed(url, `parts with ${count} records`, records);
  return ends;
}
