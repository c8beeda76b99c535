/** One of several processes that serve on one port: a server that obeys the first process, and logs through it. */
import { UserError } from "../../errors.js";
import type { AccessItem } from "../access-log.js";
import type { Address, HandedSocket } from "../connections/listen.js";
import type { MetricValues } from "../counts.js";
import type { ListingServerOptions, ServedRelease } from "../server.js";

/** In the worker's first argument, as JSON. */
export interface WorkerOrders {
  options: ListingServerOptions;
  address: Address | HandedSocket;
  /** Whether somebody reads the access log, and what is counted. */
  hasAccess: boolean;
  hasCounts: boolean;
}

export type ToWorker = "reload" | "close";

export interface FromWorker {
  line?: string;
  entries?: AccessItem[];
  /** What it serves from now on, without the digests of all pages. */
  release?: ServedRelease;
  /** What it has counted since its start, and its open connections. */
  counted?: { values: MetricValues; connections: number };
  /** Where it serves from now on. */
  url?: string;
  /** Why it cannot serve, where its user can do something about that. */
  refusal?: string;
}

// The terminal and the service manager signal every process of a group, but only the first one acts on it. The server is
// loaded after this, since it takes long, and a signal would end this process until then.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
const { createListingServer } = await import("../server.js");
const { createLogQueue } = await import("../access-log.js");
const { SERVER_LIMITS } = await import("../limits.js");
const { options, address, hasAccess, hasCounts }: WorkerOrders = JSON.parse(process.argv[2] ?? "");
const counts = hasCounts ? new (await import("../counts.js")).ServerCounts() : undefined;

/** Entries of the access log are sent together, so often: a message for each answer would cost more than the answer. */
const ENTRIES_MS = 50;
const queue = createLogQueue(
  SERVER_LIMITS.logBytes,
  // The callback comes when the first process has room, so that no more than these wait.
  (entries, done) => send({ entries }, () => setTimeout(done, ENTRIES_MS)),
  () => counts?.add("unlogged"),
);

/** What is counted is told so often, in milliseconds: of a process that is killed, what came later is lost. */
const TELL_MS = 250;

let finishing: Promise<void> | undefined;
const stopping = new AbortController();
const opening = createListingServer(options, {
  log: (line) => send({ line }),
  onSwitch: ({ folder, snapshot, contract }) => send({ release: { folder, snapshot, contract } }),
  ...(hasAccess && { access: queue.add }),
  counts,
  signal: stopping.signal,
});
const listening = opening.then((server) => server.listen(address));
// Subscribe before anything else: each message is sent only once.
process.on("SIGTERM", finish);
process.on("message", (message: ToWorker) => {
  if (message === "close") void finish();
  else if (message === "reload") opening.then((server) => server.reload()).catch(() => {});
});
try {
  const { url } = await listening;
  // It may be another release than the first process has seen.
  const { folder, snapshot, contract } = (await opening).release;
  send({ release: { folder, snapshot, contract }, url });
  setInterval(tellCounted, TELL_MS).unref();
} catch (error) {
  if (!stopping.signal.aborted) {
    if (!(error instanceof UserError)) throw error;
    send({ refusal: error.message });
  }
  await finish();
}

/** Closes the server if it is there by now. The process ends when its connection to the first one does. */
function finish(): Promise<void> {
  stopping.abort();
  finishing ??= listening
    .catch(() => {})
    .then(async () => (await opening).close())
    .catch(() => {})
    .then(async () => {
      send({ entries: queue.take() });
      await tellCounted();
      if (process.connected) process.disconnect();
    });
  return finishing;
}

async function tellCounted(): Promise<void> {
  const server = await opening.catch(() => undefined);
  if (server && counts) send({ counted: { values: await counts.values(), connections: server.state().connections } });
}

function send(message: FromWorker, sent?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
}
