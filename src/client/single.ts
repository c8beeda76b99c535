/** What is seldom asked of a listing, and loaded then: one page or file, the contract, a walk that goes on where another was. */
import { type ContractFile, MAX_CONTRACT } from "../contract/file/form.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { FILE_BYTES } from "./bytes.js";
import { isPlainObject, objectOf } from "./checked.js";
import { ListingError, quoted } from "./errors.js";
import type { CallOptions } from "./options.js";
import { parsePage } from "./page.js";
import type { Position } from "./position.js";
import { MOST_SUM_BYTES } from "./proof/digests.js";
import type { Host } from "./proof/view.js";
import { latestView } from "./shared.js";
import type { Bytes } from "./transfer.js";
import { usage } from "./usage.js";

const CONTRACT = "contract.json";

/** The contract that every record was checked against. */
export async function readContractFile(host: Host, { signal }: CallOptions): Promise<ContractFile> {
  const view = await latestView(host, signal);
  const bytes = await view.readFile(CONTRACT, MAX_CONTRACT, signal);
  return objectOf(bytes, `${host.baseUrl}/${CONTRACT}`) as unknown as ContractFile;
}

/** The bytes of a file that SHA256SUMS lists. @throws ListingError (usage) where it does not */
export async function readListedFile(host: Host, path: string, { signal }: CallOptions): Promise<Bytes> {
  const isForOthers = /^(records\.sha256$|adapters\/)/.test(path);
  if (isForOthers || /(^|\/)pages\/\d+\.json/.test(path))
    throw usage(`${host.baseUrl}/${path}`, isForOthers ? "is not served by any host" : "is a page: call page(number)");
  return (await latestView(host, signal)).readFile(
    path,
    path.startsWith("SHA256") ? MOST_SUM_BYTES : FILE_BYTES,
    signal,
  );
}

/** One page. @throws ListingError (usage) where there is no such page */
export async function readOnePage<T>(host: Host, number: number, { signal }: CallOptions): Promise<Page<T>> {
  const view = await latestView(host, signal);
  const { pages } = view.snapshot;
  if (!Number.isInteger(number) || number < 1 || number > pages)
    throw new ListingError("usage", host.baseUrl, "has no such page", `1 to ${pages}`, quoted(number));
  return parsePage<T>(view, number, await view.readPage(number, signal));
}

/** How many records come before a position. @throws ListingError (usage) for what is no position of this listing. */
export function recordsBefore(position: Position, { count, page_size }: Snapshot, url: string): number {
  // It may come from a file, and be anything.
  const { page = 0, index = -1, pageSize = page_size } = isPlainObject(position) ? position : {};
  const records = (page - 1) * pageSize + index;
  const isOne = [page, index, pageSize, records].every(Number.isSafeInteger) && page > 0 && index >= 0;
  if (isOne && index <= pageSize && records <= count) return records;
  throw new ListingError("usage", url, "has no such position", `${count} records`, quoted(position));
}
