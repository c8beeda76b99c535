/** Places all pages with several threads, each reading the same point in time on a connection of its own. */
import type { WarningCounts, WarningKind } from "../../contract/warnings.js";
import { PageDigests } from "../../release/digests.js";
import type { Release } from "../../release/open.js";
import { UserIndexWriter } from "../../release/user-index.js";
import { explainSqlite } from "../../source/errors.js";
import type { Source } from "../../source/open.js";
import type { PageStart } from "../../source/order.js";
import { PoolWorker } from "../../workers/worker.js";
import { isBehind, type Span } from "../in-order.js";
import type { OnBuildProgress } from "../options.js";
import type { Totals } from "../page-writer.js";
import type { Collection, Spent, WrittenPages } from "../pages.js";
import type { Order, PoolOrders, Reply } from "./messages.js";

class Crewman extends PoolWorker<Order, Reply> {}

/** Pages in one order: enough that orders cost nothing, few enough that no worker waits long for the others. */
const PAGES_AN_ORDER = 16;

/** Little of what a worker makes outlives its page: a quarter of the usual room for it is as fast, and saves 35 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** How often all connections try to begin at one moment before it is left to one of them alone. */
const ATTEMPTS = 50;

interface CrewOptions {
  size: number;
  pageSize: number;
  previous: Release | undefined;
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
  /** What all pages have in common, told how many users there are at the moment that was agreed on. */
  collect(count: number): Collection;
}

/**
 * Places all pages of a source by `size` workers.
 * @returns undefined when writers leave no moment at which all can begin; `doubtful` when a user is invalid, or an index
 *   does not agree with the rows. Pages may have been placed then.
 */
export async function writePagesInParallel(
  source: Source,
  orders: PoolOrders,
  { size, pageSize, previous, onProgress, signal, collect }: CrewOptions,
): Promise<WrittenPages | "doubtful" | undefined> {
  const workers = Array.from({ length: size }, () => {
    return new Crewman(new URL("./worker.js", import.meta.url), orders, { limits: LIMITS, signal });
  });
  const index = new UserIndexWriter(orders.placing.folder);
  try {
    if (!(await beginTogether(source, workers)) || !source.isShareable) return undefined;
    const collection = collect(source.count);
    const share = source.share(pageSize);
    await askAll(workers, { kind: "read", share });
    const placed = new Placed(collection, size, index, ["identity", ...orders.placing.encodings]);
    const queue = makeOrders(collection, source.pageStarts(share, pageSize), previous);
    const isDone = await Promise.all(
      workers.map(async (worker) => {
        for (const order of queue) {
          if (placed.isDoubtful || !placed.take(order, await worker.ask(order))) return false;
          onProgress({ users: Math.min(placed.pages * pageSize, source.count), total: source.count });
        }
        return true;
      }),
    );
    return isDone.every(Boolean) && placed.isInOrder() ? placed.finish() : "doubtful";
  } catch (error) {
    throw explainSqlite(orders.db, error);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    index.close();
  }
}

/**
 * Lets all connections begin until the path led to one file and nobody wrote to it while they did: then all see one point
 * in time. Otherwise the source has begun alone.
 */
async function beginTogether(source: Source, workers: readonly Crewman[]): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const begun = await Promise.allSettled(workers.map((worker) => worker.ask({ kind: "begin" })));
    if (begun.every(isBegun) && source.isBegunBy(workers.length)) return true;
    const failed = begun.find((result) => result.status === "rejected");
    // What a thread says of a file that has gone or been replaced says nothing.
    if (failed && source.file.isStill()) throw failed.reason;
    await askAll(workers, { kind: "rest" });
    if (!source.file.isOne(1)) source.reopen();
    source.begin();
  }
  return false;
}

function isBegun(result: PromiseSettledResult<Reply>): boolean {
  return result.status === "fulfilled" && result.value.kind === "begun" && result.value.isBegun;
}

async function askAll(workers: readonly Crewman[], order: Order): Promise<void> {
  await Promise.all(workers.map((worker) => worker.ask(order)));
}

function* makeOrders(
  collection: Collection,
  starts: Iterable<PageStart>,
  previous: Release | undefined,
): Generator<Order, void> {
  let first = 1;
  let some: PageStart[] = [];
  const order = (): Order => {
    const known = previous?.sums.pages.slice(first, some.length) ?? {};
    return { kind: "place", collection, first, starts: some, known };
  };
  for (const start of starts) {
    some.push(start);
    if (some.length < PAGES_AN_ORDER) continue;
    yield order();
    first += some.length;
    some = [];
  }
  if (some.length > 0) yield order();
}

/** The sum of all replies. */
class Placed {
  readonly digests: PageDigests;
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly warnings: WarningCounts = {};
  readonly spent: Spent = { read: 0, check: 0, digest: 0, write: 0 };
  /** First page -> the users of one order. */
  readonly spans = new Map<number, Span>();
  pages = 0;
  isDoubtful = false;

  constructor(
    readonly collection: Collection,
    readonly workers: number,
    readonly index: UserIndexWriter,
    variants: ConstructorParameters<typeof PageDigests>[1],
  ) {
    this.digests = new PageDigests(collection.pages, variants);
  }

  /** Adds one reply; false when it leaves doubt. */
  take(order: Order, reply: Reply): boolean {
    this.isDoubtful ||= reply.kind === "doubtful";
    if (order.kind === "place" && reply.kind === "placed") {
      this.pages += order.starts.length;
      this.spans.set(order.first, reply.span);
      this.digests.fill(order.first, reply.digests);
      this.index.add(order.first, order.starts.length, Buffer.from(reply.users.buffer));
      for (const key of ["bytes", "linked", "changed"] as const) this.totals[key] += reply.totals[key];
      for (const part of ["read", "check", "digest", "write"] as const) this.spent[part] += reply.spent[part];
      for (const [kind, count] of Object.entries(reply.warnings)) {
        this.warnings[kind as WarningKind] = (this.warnings[kind as WarningKind] ?? 0) + count;
      }
    }
    return !this.isDoubtful;
  }

  /** Whether the users of each order come after those of the order before it. */
  isInOrder(): boolean {
    const spans = [...this.spans].sort(([one], [other]) => one - other).map(([, span]) => span);
    return spans.every(({ first }, at) => {
      const before = spans[at - 1];
      return before === undefined || isBehind(first, before.last);
    });
  }

  /** What all pages come to. */
  finish(): WrittenPages {
    const { collection, digests, totals, warnings, workers, spent } = this;
    return { collection, digests, users: this.index.finish(), totals, warnings, workers, spent };
  }
}
