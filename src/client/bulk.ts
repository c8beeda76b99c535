/** All records from the few large files of a release that was built with --bulk. */
import { isPlainObject, objectOf } from "./checked.js";
import { ListingError, quoted } from "./errors.js";
import { linesOf } from "./lines.js";
import type { Ground } from "./proof/ground.js";
import type { Course } from "./walk.js";

const BULK = "bulk.json";
const BULK_BYTES = 16_000_000;
/** Hosts take no larger file. */
const PART_BYTES = 25 * 2 ** 20;
/** A part is in memory whole: the one that is read now, and one ahead. */
const PARTS_AT_ONCE = 2;

interface Part {
  file: string;
  /** Its records, and how many there are in the parts before it. */
  count: number;
  before: number;
}

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
  const parts = partsOf(await ground.readFile(BULK, BULK_BYTES, signal), url, ground.snapshot.count);
  const partAt = (number: number) => parts[number - 1] as Part;
  return {
    atOnce: PARTS_AT_ONCE,
    last: parts.length,
    first(records) {
      const at = parts.findIndex(({ before, count }) => before + count > records);
      return at < 0 ? parts.length + 1 : at + 1;
    },
    read: (number, signal) => ground.readFile(partAt(number).file, PART_BYTES, signal),
    items: (number, bytes, records) =>
      recordsOf<T>(partAt(number), `${baseUrl}/${partAt(number).file}`, bytes, records, read),
  };
}

function partsOf(bytes: Uint8Array, url: string, count: number): Part[] {
  const { parts: said } = objectOf(bytes, url);
  const listed = Array.isArray(said) ? said : [];
  let before = 0;
  const parts = listed.filter(isPlainObject).map((part, at): Part => {
    const [file, records] = [`bulk/${at + 1}.ndjson.gz`, Number(part["count"])];
    if (part["file"] !== file || !Number.isSafeInteger(records) || records < 0)
      throw new ListingError("malformed", url, `has a part ${at + 1} that is none`, file, quoted(part));
    before += records;
    return { file, count: records, before: before - records };
  });
  if (before === count && parts.length > 0 && parts.length === listed.length) return parts;
  throw new ListingError(
    "malformed",
    url,
    "has parts of another number of records than snapshot.json",
    `${count}`,
    `${before}`,
  );
}

/** Line by line, while the part is unpacked. */
async function* recordsOf<T>(
  { count, before }: Part,
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  records: number,
  read: (line: string, url: string) => T,
): AsyncGenerator<[T, number]> {
  let at = before;
  for await (const line of linesOf(bytes, url)) {
    at++;
    if (at > before + count) break;
    if (at <= records) continue;
    yield [read(line, url), at];
  }
  if (at === before + count) return;
  const found = at > before + count ? "more" : at - before;
  throw new ListingError("malformed", url, "has another number of lines than bulk.json says", `${count}`, `${found}`);
}
