/** One of several processes that serve on one port: a host that hears of its first process, and speaks through it. */
import { UserError } from "../errors.js";
import type { AccessEntry } from "./access.js";
import { createHost, type Host } from "./host.js";
import { type FromWorker, type ToWorker, toServed, type WorkerOrders } from "./worker-messages.js";

const { options, address, hasAccess }: WorkerOrders = JSON.parse(process.argv[2] ?? "");

// The terminal and the service manager signal every process of a group; what this one does, the first one says.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

/** A message for each answer would cost more than the answer. */
const ENTRIES = { most: 500, everyMs: 50 } as const;
const entries: AccessEntry[] = [];
const access = (entry: AccessEntry) => {
  if (entries.length === 0) setTimeout(sendEntries, ENTRIES.everyMs);
  if (entries.push(entry) >= ENTRIES.most) sendEntries();
};

const opening = createHost(options, {
  log: (line) => send({ kind: "log", line }),
  onSwitch: (release) => send({ kind: "switched", release: toServed(release) }),
  ...(hasAccess && { access }),
});
// From the first moment on: nobody says it twice.
process.on("SIGTERM", () => void opening.then(finish));
process.on("message", (message: ToWorker) => {
  void opening.then((host) => (message === "close" ? finish(host) : host.reload()));
});
try {
  const host = await opening;
  await host.listen(address);
  // It may be another than the first process has seen.
  send({ kind: "switched", release: toServed(host.release) });
  send({ kind: "ready" });
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  send({ kind: "refused", message: error.message });
  process.disconnect();
}

async function finish(host: Host): Promise<void> {
  await host.close();
  sendEntries();
  if (process.connected) process.disconnect();
}

function sendEntries(): void {
  if (entries.length > 0) send({ kind: "access", entries: entries.splice(0) });
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
