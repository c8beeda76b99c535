/** The admin listener, for operators: `/healthz` and `/metrics`. */
import { stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { basename, join } from "node:path";
import { AggregatorRegistry, Gauge, Registry } from "prom-client";
import { CONTENT_TYPE, NO_STORE } from "../contract/headers.js";
import { SNAPSHOT } from "../release/layout.js";
import { parseFolderName } from "../release/name.js";
import { type Address, listen } from "./connections/listen.js";
import { ServerCounts } from "./counts.js";
import { SERVER_LIMITS } from "./limits.js";
import type { CountedServer, ServedRelease, ServerState } from "./server.js";

const ADMIN_FLAGS = { port: "port for --admin", host: "--admin with" };

/** Maximum connections. A new one replaces the oldest, which is idle, since responses take no time. */
const MOST_CONNECTIONS = 64;

export type Admin = Awaited<ReturnType<typeof openAdmin>>;

/** Serves `/healthz` and `/metrics`. @throws UserError if the address is taken, forbidden or another machine's. */
export async function openAdmin(address: Address, { now, log }: { now(): Date; log(line: string): void }) {
  let serving: (Pick<CountedServer, "state"> & { readonly release: ServedRelease }) | undefined;
  let since = now();
  const counts = new ServerCounts();
  const state = () => serving?.state() ?? { connections: 0, processes: 0, counted: [] };
  const served = () => (serving && state().processes > 0 ? { release: serving.release, since } : undefined);
  const pages: Readonly<Record<string, () => Promise<Page>>> = {
    "/healthz": () => healthOf(served()),
    "/metrics": async () => ({ status: 200, ...(await describeMetrics(counts, state(), served(), now())) }),
  };
  const server = createServer(
    { headersTimeout: SERVER_LIMITS.headersMs, requestTimeout: SERVER_LIMITS.requestMs },
    async ({ method = "", url = "" }, res) => {
      const page = pages[url.replace(/\?.*/s, "")];
      if (!page) send(res, toPage(404, { detail: "Only /healthz and /metrics are here." }));
      else if (method !== "GET" && method !== "HEAD") send(res, toPage(405, { detail: "Method not allowed." }));
      else send(res, await page());
    },
  );
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    const [oldest] = connections;
    if (connections.size > MOST_CONNECTIONS) oldest?.destroy();
  });
  const url = await listen(server, address, SERVER_LIMITS.backlog, ADMIN_FLAGS);
  server.on("error", (error) => log(`The listener of --admin reports: ${error.message}`));
  return {
    url,
    /** The counters of the server's first process. */
    counts,
    /** Reports about this server from now on; about none without one. */
    watch(server?: NonNullable<typeof serving>) {
      serving = server;
      since = now();
    },
    /** Call this when another release is served from now on. */
    switched() {
      counts.add("switches");
      since = now();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Page {
  status: number;
  type: string;
  body: string;
}

function toPage(status: number, content: object): Page {
  return { status, type: CONTENT_TYPE, body: `${JSON.stringify(content)}\n` };
}

async function healthOf(served: Served | undefined): Promise<Page> {
  if (!served) return toPage(503, { detail: "No intact release is served." });
  const { release, since } = served;
  const isThere = await stat(join(release.folder, SNAPSHOT)).catch(() => undefined);
  if (!isThere) return toPage(503, { detail: "The folder of the release that is served is gone." });
  const { id, count: records } = release.snapshot;
  return toPage(200, { id, records, since: since.toISOString(), built: builtAt(release)?.toISOString() ?? null });
}

function send(res: ServerResponse, { status, type, body }: Page): void {
  const allow = status === 405 ? { Allow: "GET, HEAD" } : {};
  const length = Buffer.byteLength(body);
  res.writeHead(status, { "Content-Type": type, "Cache-Control": NO_STORE, "Content-Length": length, ...allow });
  res.end(body);
}

/** The release that is served now, and since when. */
interface Served {
  release: ServedRelease;
  since: Date;
}

/** All metrics of a server in Prometheus' text format. */
async function describeMetrics(counts: ServerCounts, state: ServerState, served: Served | undefined, now: Date) {
  const registry = new Registry();
  const gauge = (name: string, help: string, value = Number.NaN) =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  const release = served?.release;
  const built = release && builtAt(release);
  gauge("rollcall_connections", "Connections that are open.", state.connections);
  gauge("rollcall_processes", "Processes that serve.", state.processes);
  gauge("rollcall_snapshot_records", "Records of the release that is served.", release?.snapshot.count);
  const age = built && (now.getTime() - built.getTime()) / 1000;
  gauge("rollcall_snapshot_age_seconds", "How long ago the release that is served was built.", age);
  const [name, help] = ["rollcall_snapshot_info", "The id of the release that is served."];
  const info = new Gauge({ name, help, labelNames: ["id"], registers: [registry] });
  if (release) info.set({ id: release.snapshot.id }, 1);
  const all = [await counts.values(), await registry.getMetricsAsJSON(), ...state.counted];
  return { type: registry.contentType, body: await AggregatorRegistry.aggregate(all).metrics() };
}

/** The build time of a release, from the name of its folder; undefined for another name. */
function builtAt({ folder }: ServedRelease): Date | undefined {
  return parseFolderName(basename(folder))?.time;
}
