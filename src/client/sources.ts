/** All records of a snapshot, by its pages or from the few large files of a release that was built with --bulk. */
import { type ContractFile, MAX_CONTRACT } from "../contract/file/form.js";
import { compareBytes } from "./bytes.js";
import { objectOf, textOf } from "./checked.js";
import { ListingError, malformed } from "./errors.js";
import { linesOf } from "./lines.js";
import type { ListedPage } from "./options.js";
import { parsePage } from "./page.js";
import type { Host, SnapshotView } from "./proof/view.js";
import { recordKeeper, recordList } from "./sync/records.js";
import type { KeptRecord } from "./sync/store.js";
import type { Bytes } from "./transfer.js";
import { byPages, type PageSource } from "./walk.js";

const BULK = "bulk.json";
const BULK_BYTES = 16_000_000;
/** A part is in memory whole: the one that is read now, and one ahead. */
const PARTS_AT_ONCE = 2;

/** Gives what makes a record of its canonical text. */
type Opener<R> = () => Promise<(text: string, url: string) => R>;

/** The records of a walk. Those that are proved are held to their order and their list, see `createCheck`. */
export async function recordSource<T>(
  host: Host,
  view: SnapshotView,
  via: "pages" | "bulk" | undefined,
  signal: AbortSignal,
): Promise<PageSource<T>> {
  const read = (open: Opener<unknown>) =>
    via === "bulk" ? bulkSource(host, view, signal, open) : pageSource(host, view, open);
  if (view.proof === "none") return read(async () => objectOf) as Promise<PageSource<T>>;
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

/** The pages of a walk, whose records are held to the same. */
export function wholePages<T>(host: Host, view: SnapshotView, signal: AbortSignal): PageSource<ListedPage<T>> {
  const { page_size, count } = view.snapshot;
  const { open, check } = createCheck<T>(host, view, signal);
  return byPages(view, host.atOnce, async function* (number, bytes) {
    const page = parsePage<T>(view, number, bytes);
    let at = (number - 1) * page_size;
    const texts = view.proof === "none" ? [] : recordTexts(bytes, view.urlOf(number));
    for (const text of texts) check((await open())(text, view.urlOf(number)), ++at);
    yield [{ number, bytes, page }, Math.min(number * page_size, count)];
  });
}

/**
 * Holds records to the order of the contract, which no two have the same place in, and where all are read, to the list that
 * the snapshot's state is of. So a host that makes its own digests cannot hand out a record twice.
 */
function createCheck<T>({ baseUrl }: Host, view: SnapshotView, signal: AbortSignal) {
  const { count, state } = view.snapshot;
  const list = recordList();
  let keeper: ReturnType<typeof recordKeeper<T>> | undefined;
  let before: Uint8Array = new Uint8Array();
  let listed = 0;
  let made: string | undefined;
  return {
    open: async () => {
      const url = `${baseUrl}/contract.json`;
      const contract = async () => objectOf(await view.readFile("contract.json", MAX_CONTRACT, signal), url);
      keeper ??= recordKeeper<T>((await contract()) as unknown as ContractFile, url);
      return keeper.read;
    },
    /** To be called before a record is handed out. @param at how many there are with it */
    check(kept: KeptRecord<T>, at: number): void {
      // Once the list is another one, it stays so, however often the last record is asked for.
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

export function otherState(url: string, expected: string, received: string): ListingError {
  return new ListingError("mismatch", url, "has other records than its state says", expected, received);
}

/** Records by pages: a line is one. On a host without proof, pages may be written in any way. */
export function pageSource<R>(host: Host, view: SnapshotView, open: Opener<R>): PageSource<R> {
  return byPages(view, host.atOnce, async function* (number, bytes, records) {
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

/** The canonical texts of a page's records, which stand on a line each. */
function recordTexts(bytes: Bytes, url: string): string[] {
  const lines = textOf(bytes, url).split("\n").slice(1, -2);
  return lines.map((line) => line.replace(/,$/, ""));
}

/** Records from parts. @throws ListingError (usage) where the release has no such files */
export async function bulkSource<R>(
  host: Host,
  view: SnapshotView,
  signal: AbortSignal | undefined,
  open: Opener<R>,
): Promise<PageSource<R>> {
  const { baseUrl } = host;
  const url = `${baseUrl}/${BULK}`;
  const { parts, ends } = endsOf(await view.readFile(BULK, BULK_BYTES, signal), url, view.snapshot.count);
  return {
    atOnce: PARTS_AT_ONCE,
    last: ends.length,
    first: (records) => ends.filter((end) => end <= records).length + 1,
    // A host that sends parts with Content-Encoding has its readers unpack them.
    read: (number, from) => view.readFile(fileOf(number), host.partBytes, from, `${parts[number - 1]?.sha256}`),
    // Line by line, while the part is unpacked.
    async *items(number, bytes, records) {
      const read = await open();
      const from = `${baseUrl}/${fileOf(number)}`;
      const end = ends[number - 1] as number;
      let at = ends[number - 2] ?? 0;
      for await (const line of linesOf(bytes, from, signal)) {
        if (++at > end) break;
        if (at > records) yield [read(line, from), at];
      }
      if (at !== end) throw malformed(from, `lines up to record ${end}`, at > end ? "more" : at);
    },
  };
}

const fileOf = (number: number) => `bulk/${number}.ndjson.gz`;

/** How many records there are with those of each part. @throws ListingError (malformed) unless they are all that there are */
function endsOf(bytes: Uint8Array, url: string, count: number) {
  const said = objectOf(bytes, url)["parts"];
  const parts = Array.isArray(said) ? said : [];
  let records = 0;
  const ends = parts.map((part, at): number => {
    if (part?.file !== fileOf(at + 1) || !Number.isSafeInteger(part.count) || part.count < 0)
      throw malformed(url, fileOf(at + 1), part);
    records += part.count;
    return records;
  });
  if (records !== count || ends.length === 0) throw malformed(url, `parts with ${count} records`, records);
  return { parts, ends };
}
