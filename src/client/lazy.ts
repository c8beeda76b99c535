/** The part of the client that is loaded by the first call, as one chunk. It has the calls for single pages and files. */
import type { ContractFile } from "../contract/file/form.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { MOST_SUM_BYTES } from "./digests.js";
import { type Position, usage } from "./errors.js";
import type { CallOptions } from "./options.js";
import { parsePage } from "./page.js";
import { latestView } from "./read-once.js";
import { readContract } from "./record-reader.js";
import type { Bytes } from "./requests.js";
import { FILE_BYTES, type Host } from "./snapshot.js";
import { isPlainObject } from "./utf8.js";

export { recordSource, wholePages } from "./all-records.js";
export { findView } from "./find-snapshot.js";
export { getRecord, searchSource } from "./lookup/find.js";
export { latestView } from "./read-once.js";
export { sync } from "./sync/sync.js";

/** Reads the contract of the latest snapshot. */
export async function contractOf(host: Host, { signal }: CallOptions): Promise<ContractFile> {
  return (await readContract(host, await latestView(host, signal), signal)).contract;
}

/** Reads a file that SHA256SUMS lists. @throws ListingError (usage) if it does not */
export async function readListedFile(host: Host, path: string, { signal }: CallOptions): Promise<Bytes> {
  const isUnserved = path === "records.sha256";
  if (isUnserved || /(^|\/)pages\/\d+\.json/.test(path))
    throw usage(`${host.baseUrl}/${path}`, isUnserved ? "is not served by any host" : "is a page: call page(number)");
  const maxBytes = path.startsWith("SHA256") ? MOST_SUM_BYTES : FILE_BYTES;
  return (await latestView(host, signal)).readFile(path, maxBytes, signal);
}

/** Reads a page. @throws ListingError (usage) if the page does not exist */
export async function readOnePage<T>(host: Host, number: number, { signal }: CallOptions): Promise<Page<T>> {
  const view = await latestView(host, signal);
  const { pages } = view.snapshot;
  if (!Number.isInteger(number) || number < 1 || number > pages)
    throw usage(host.baseUrl, "has no such page", `1 to ${pages}`, number);
  return parsePage<T>(view, number, await view.readPage(number, signal));
}

/** The number of records before a position, which is untrusted. @throws ListingError (usage) if it is invalid */
export function recordsBefore(position: Position, { count, page_size }: Snapshot, url: string): number {
  const { page = 0, index = -1, pageSize = page_size } = isPlainObject(position) ? position : {};
  const records = (page - 1) * pageSize + index;
  const isPosition = [page, index, pageSize, records].every(Number.isSafeInteger) && page > 0 && index >= 0;
  if (isPosition && index <= pageSize && records <= count) return records;
  throw usage(url, "has no such position", `one within ${count} records`, position);
}
