/** Sources of walks over pages and their records. They check the order of neighbours. */
import { malformed } from "./errors.js";
import type { ListedPage } from "./options.js";
import { orderReader, readContract } from "./order.js";
import { parsePage } from "./page.js";
import type { Bytes } from "./requests.js";
import { compareBytes } from "./utf8.js";
import type { Host, View } from "./view.js";
import { byPages, type PageSource } from "./walk.js";

/** The source of a walk over pages. */
export function wholePages<T>(host: Host, view: View, signal: AbortSignal): PageSource<ListedPage<T>> {
  const { page_size, count } = view.snapshot;
  const read = pageReader<T>(host, view, signal);
  return byPages(view, host.concurrency, async (number, bytes) => {
    const page = await read(number, bytes);
    return [[{ number, bytes, page }, Math.min(number * page_size, count)] as const].values();
  });
}

/** The source of a walk over the records of pages. */
export function recordsOfPages<T>(host: Host, view: View, signal: AbortSignal): PageSource<T> {
  const read = pageReader<T>(host, view, signal);
  return byPages(view, host.concurrency, async (number, bytes, records) => {
    const { results } = await read(number, bytes);
    const before = (number - 1) * view.snapshot.page_size;
    return results
      .map((record, at) => [record, before + at + 1] as const)
      .slice(Math.max(0, records - before))
      .values();
  });
}

function pageReader<T>(host: Host, view: View, signal: AbortSignal) {
  const openCheck = createOrderCheck(host, view, signal);
  return async (number: number, bytes: Bytes) => {
    const page = parsePage<T>(view, number, bytes);
    const requireNext = await openCheck();
    for (const record of page.results) requireNext(record, view.urlOf(number));
    return page;
  };
}

/**
 * Makes the check that each record comes after the one before it in the contract's order, so that none comes twice. It reads the
 * contract once. A host without proof has no contract to rely on, so its order is not checked, and neither is that of a view.
 */
export function createOrderCheck(host: Host, view: View, signal: AbortSignal) {
  const isUnknown = view.proof === "none" || view.isReordered;
  let check: ((record: unknown, url: string) => void) | undefined = isUnknown ? () => {} : undefined;
  let before: Uint8Array = new Uint8Array();
  return async (): Promise<(record: unknown, url: string) => void> => {
    if (check) return check;
    const { contract, url } = await readContract(host, view, signal);
    const { orderOf } = orderReader(contract, url);
    check = (record, url) => {
      const order = orderOf(record, url);
      if (compareBytes(before, order) >= 0) throw malformed(url, "records in order", record);
      before = order;
    };
    return check;
  };
}
