/** A process of a cluster: a server that the first process controls, and that logs through it. */
import { UserError } from "../../errors.js";
import type { AccessItem } from "../access-log.js";
import type { Address, HandedSocket } from "../connections/listen.js";
import type { MetricValues } from "../counts.js";
import type { ListingServerOptions, ServedRelease } from "../server.js";

/** The worker's first argument, as JSON. */
export interface WorkerOrders {
  options: ListingServerOptions;
  address: Address | HandedSocket;
  /** Whether the access log and the counts are used. */
  hasAccess: boolean;
  hasCounts: boolean;
}

export type ToWorker = "reload" | "close";

export interface FromWorker {
  line?: string;
  entries?: AccessItem[];
  /** The release that it serves from now on, without the digests of all pages. */
  release?: ServedRelease;
  /** Its counts since its start, and its open connections. */
  counted?: { values: MetricValues; connections: number };
  /** The URL that it serves at from now on. */
  url?: string;
  /** Why it cannot serve, if the user can do something about it. */
  refusal?: string;
}

// Terminals and service managers signal every process of a group, but only the first one must act on it. The server is
// imported after this, since that takes long, and a signal would end this process until then.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
const { createListingServer } = await import("../server.js");
const { createLogQueue } = await import("../access-log.js");
const { SERVER_LIMITS } = await import("../limits.js");
const { options, address, hasAccess, hasCounts }: WorkerOrders = JSON.parse(process.argv[2] ?? "");
const counts = hasCounts ? new (await import("../counts.js")).ServerCounts() : undefined;

/** Milliseconds between two batches of log entries. A message for each response would cost more than the response. */
const ENTRIES_MS = 50;
const queue = createLogQueue(
  SERVER_LIMITS.logBytes,
  // The callback comes when the first process has received the batch, so only one batch is under way.
  (entries, done) => send({ entries }, () => setTimeout(done, ENTRIES_MS)),
  () => counts?.add("unlogged"),
);

/** Milliseconds between two reports of counts. Later counts of a process that is killed are lost. */
const REPORT_MS = 250;

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
  // This may be another release than the first process has opened.
  const { folder, snapshot, contract } = (await opening).release;
  send({ release: { folder, snapshot, contract }, url });
  setInterval(reportCounts, REPORT_MS).unref();
} catch (error) {
  if (!stopping.signal.aborted) {
    if (!(error instanceof UserError)) throw error;
    send({ refusal: error.message });
  }
  await finish();
}

/** Closes the server, if it was opened. The process ends when it has disconnected from the first one. */
function finish(): Promise<void> {
  stopping.abort();
  finishing ??= listening
    .catch(() => {})
    .then(async () => (await opening).close())
    .catch(() => {})
    .then(async () => {
      send({ entries: queue.take() });
      await reportCounts();
      if (process.connected) process.disconnect();
    });
  return finishing;
}

async function reportCounts(): Promise<void> {
  const server = await opening.catch(() => undefined);
  if (server && counts) send({ counted: { values: await counts.values(), connections: server.state().connections } });
}

function send(message: FromWorker, sent?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
}
