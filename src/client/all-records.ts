/** Reads all records of a snapshot, by pages or by the bulk parts of a release. */
import { ListingError, malformed, usage } from "./errors.js";
import { linesOf } from "./gzip-lines.js";
import type { ListedPage, RecordOptions } from "./options.js";
import { parsePage } from "./page.js";
import { readContract, recordList, recordReader } from "./record-reader.js";
import type { Bytes } from "./requests.js";
import type { Host, SnapshotView } from "./snapshot.js";
import type { KeptRecord } from "./sync/store.js";
import { compareBytes, objectOf, textOf } from "./utf8.js";
import { byPages, type PageSource } from "./walk.js";

const BULK_BYTES = 16_000_000;
/** Parts in memory: the current one and the next. */
const PARTS_AT_ONCE = 2;

/** Returns the function that reads a record's canonical text. */
type Opener<R> = () => Promise<(text: string, url: string) => R>;

/** The source of a walk over records. If verified, their order and state are checked too. */
export async function recordSource<T>(
  host: Host,
  view: SnapshotView,
  via: RecordOptions["via"],
  signal: AbortSignal,
): Promise<PageSource<T>> {
  const read = async <R>(open: Opener<R>): Promise<PageSource<R>> =>
    via === "bulk" ? bulkSource(host, view, signal, open) : pageSource(host, view, open);
  if (view.proof === "none") return read(async () => objectOf as (text: string, url: string) => T);
  const { open, check } = createCheck<T>(host, view, signal);
  const source = await read(open);
  return {
    ...source,
    async *items(number, bytes, records) {
      const all = source.items(number, bytes, records) as AsyncGenerator<[KeptRecord<T>, number]>;
      for await (const [kept, at] of all) {
        check(kept, at);
        yield [kept.record, at];
      }
    },
  };
}

/** The source of a walk over pages, with the same checks of records. */
export function wholePages<T>(host: Host, view: SnapshotView, signal: AbortSignal): PageSource<ListedPage<T>> {
  const { page_size, count } = view.snapshot;
  const { open, check } = createCheck<T>(host, view, signal);
  return byPages(view, host.concurrency, async function* (number, bytes) {
    const page = parsePage<T>(view, number, bytes);
    const url = view.urlOf(number);
    let at = (number - 1) * page_size;
    if (view.proof !== "none") for (const text of recordTexts(bytes, url)) check((await open())(text, url), ++at);
    yield [{ number, bytes, page }, Math.min(number * page_size, count)];
  });
}

/**
 * Checks that records are in the contract's strict order and, if all are read, that they make the snapshot's state. A host with
 * digests of its own making cannot send a record twice.
 */
function createCheck<T>(host: Host, view: SnapshotView, signal: AbortSignal) {
  const { baseUrl } = host;
  const { count, state } = view.snapshot;
  const list = recordList();
  let reader: ReturnType<typeof recordReader<T>> | undefined;
  let before: Uint8Array = new Uint8Array();
  let listed = 0;
  let made: string | undefined;
  return {
    async open() {
      if (!reader) {
        const { contract, url } = await readContract(host, view, signal);
        reader = recordReader<T>(contract, url);
      }
      return reader.read;
    },
    /** Call it before a record is returned. @param at number of records up to this one */
    check(kept: KeptRecord<T>, at: number): void {
      // Once the list is complete, a wrong state is final, even if the last record is read again.
      if (!made && compareBytes(before, kept.order) >= 0) throw malformed(baseUrl, "records in order", kept.key);
      before = kept.order;
      if (at === listed + 1) {
        list.add(kept);
        listed = at;
      }
      if (listed === count) made ??= list.state();
      if (state && made && made !== state) throw otherState(baseUrl, state, made);
    },
  };
}

/** The error for records that do not make the expected state. */
export function otherState(url: string, expected: string, received: string): ListingError {
  return new ListingError("mismatch", url, "has other records than its state promises", expected, received);
}

/** The source of records by pages, one a line. A host without proof may format pages in any way. */
export function pageSource<R>(host: Host, view: SnapshotView, open: Opener<R>): PageSource<R> {
  return byPages(view, host.concurrency, async function* (number, bytes, records) {
    const { results } = parsePage<R>(view, number, bytes);
    const url = view.urlOf(number);
    const texts = view.proof === "none" ? undefined : recordTexts(bytes, url);
    if (texts && texts.length !== results.length) throw malformed(url, "a record a line", texts.length);
    const read = await open();
    let at = (number - 1) * view.snapshot.page_size;
    for (const [index, record] of results.entries())
      if (++at > records) yield [texts ? read(`${texts[index]}`, url) : record, at];
  });
}

/** Splits a page into canonical texts of records. */
function recordTexts(bytes: Bytes, url: string): string[] {
  const lines = textOf(bytes, url).split("\n").slice(1, -2);
  return lines.map((line) => line.replace(/,$/, ""));
}

/** The source of records by bulk parts. @throws ListingError (usage) if the release has none */
export async function bulkSource<R>(
  { baseUrl, partBytes }: Host,
  view: SnapshotView,
  signal: AbortSignal | undefined,
  open: Opener<R>,
): Promise<PageSource<R>> {
  const url = `${baseUrl}/bulk.json`;
  const { count } = view.snapshot;
  const said = objectOf(await view.readFile("bulk.json", BULK_BYTES, signal), url)["parts"];
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
    read: (number, from) => view.readFile(fileOf(number), partBytes, from, `${parts[number - 1].sha256}`),
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
