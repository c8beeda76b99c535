/** One of several processes that serve on one port: a host that hears of its first process, and speaks through it. */
import { UserError } from "../../errors.js";
import type { AccessEntry } from "../access-log.js";
import type { ListingServer } from "../server.js";
import type { ClusterOrders, FromWorker, ToWorker } from "./messages.js";

// The terminal and the service manager signal every process of a group; what this one does, the first one says. What
// takes long to load is loaded later: until then, a signal would end this process.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
const [{ createListingServer }, { toServed }] = await Promise.all([import("../server.js"), import("./messages.js")]);

const { options, address, hasAccess }: ClusterOrders = JSON.parse(process.argv[2] ?? "");

/** A message for each answer would cost more than the answer. */
const ENTRIES = { most: 500, everyMs: 50 } as const;
const entries: AccessEntry[] = [];
const access = (entry: AccessEntry) => {
  if (entries.length === 0) setTimeout(sendEntries, ENTRIES.everyMs);
  if (entries.push(entry) >= ENTRIES.most) sendEntries();
};

let finishing: Promise<void> | undefined;
const opening = createListingServer(options, {
  log: (line) => send({ kind: "log", line }),
  onSwitch: (release) => send({ kind: "switched", release: toServed(release) }),
  ...(hasAccess && { access }),
});
const listening = opening.then((host) => host.listen(address));
// From the first moment on: nobody says it twice.
process.on("SIGTERM", finish);
process.on("message", (message: ToWorker) => {
  if (message === "close") void finish();
  else opening.then((host) => host.reload()).catch(() => {});
});
try {
  await listening;
  const { release } = await opening;
  // It may be another than the first process has seen.
  send({ kind: "switched", release: toServed(release) });
  send({ kind: "ready" });
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  send({ kind: "refused", message: error.message });
  await finish();
}

/** Closes what is there by then; the process ends with its connection to the first one. */
function finish(): Promise<void> {
  finishing ??= listening
    .catch(() => {})
    .then(() => opening)
    .then((host: ListingServer) => host.close())
    .catch(() => {})
    .then(() => {
      sendEntries();
      if (process.connected) process.disconnect();
    });
  return finishing;
}

function sendEntries(): void {
  if (entries.length > 0) send({ kind: "access", entries: entries.splice(0) });
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
