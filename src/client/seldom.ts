/** What is seldom asked of a listing, and loaded then: one page, the contract, a walk that goes on where another was. */
import { type ContractFile, MAX_CONTRACT } from "../contract/file/form.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { isPlainObject, objectOf } from "./checked.js";
import { ListingError, quoted, SnapshotChangedError } from "./errors.js";
import type { CallOptions } from "./options.js";
import type { Position } from "./position.js";
import type { Ground } from "./proof/ground.js";

/** The snapshot that was asked for last, or else is now. */
export interface Latest {
  url: string;
  ground(signal: AbortSignal | undefined): Promise<Ground>;
  /** Since the host has it no longer. */
  forget(ground: Ground): void;
}

const CONTRACT = "contract.json";

/** The contract that every record was checked against. */
export function readContractFile(latest: Latest, { signal }: CallOptions): Promise<ContractFile> {
  return read(latest, signal, async (ground) => {
    const bytes = await ground.readFile(CONTRACT, MAX_CONTRACT, signal);
    return objectOf(bytes, `${latest.url}/${CONTRACT}`) as unknown as ContractFile;
  });
}

/** One page. @throws ListingError (usage) where there is no such page */
export function readOnePage<T>(latest: Latest, number: number, { signal }: CallOptions): Promise<Page<T>> {
  return read(latest, signal, async (ground) => {
    const { pages } = ground.snapshot;
    if (!Number.isInteger(number) || number < 1 || number > pages)
      throw new ListingError("usage", latest.url, "has no such page", `1 to ${pages}`, quoted(number));
    return ground.parsePage<T>(number, await ground.readPage(number, signal));
  });
}

async function read<V>(
  { ground, forget }: Latest,
  signal: AbortSignal | undefined,
  step: (ground: Ground) => Promise<V>,
): Promise<V> {
  const latest = await ground(signal);
  try {
    return await step(latest);
  } catch (error) {
    if (error instanceof SnapshotChangedError) forget(latest);
    throw error;
  }
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
