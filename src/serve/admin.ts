/** The admin listener, for operators: `/healthz` and `/metrics`. */
import { stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { basename, join } from "node:path";
import { Gauge, type Registry } from "prom-client";
import { CONTENT_TYPE, NO_STORE } from "../core/contract/headers.js";
import { SNAPSHOT } from "../core/release/layout.js";
import { parseFolderName } from "../core/release/name.js";
import { factsOf, type Site } from "../core/release/site.js";
import { SERVER_LIMITS } from "./limits.js";
import { type Address, listen } from "./listen.js";
import { ServerCounts } from "./metrics.js";
import type { CountedServer } from "./serve.js";

const ADMIN_FLAGS = { port: "port for --admin", host: "--admin with" };

/** Maximum connections. A new one replaces the oldest, which is idle, since responses take no time. */
const MOST_CONNECTIONS = 64;

export type Admin = Awaited<ReturnType<typeof openAdmin>>;

/** Serves `/healthz` and `/metrics`. @throws UserError if the address is taken, forbidden or another machine's. */
export async function openAdmin(address: Address, { now, log }: { now(): Date; log(line: string): void }) {
  let serving: Pick<CountedServer, "connections" | "site"> | undefined;
  let since = now();
  const counts = new ServerCounts();
  const setGauges = createGauges(counts.registry);
  const server = createServer(
    { headersTimeout: SERVER_LIMITS.headersMs, requestTimeout: SERVER_LIMITS.requestMs },
    async ({ method = "", url = "" }, res) => {
      const path = url.replace(/\?.*/s, "");
      if (path !== "/healthz" && path !== "/metrics")
        send(res, 404, { detail: "Only /healthz and /metrics are here." });
      else if (method !== "GET" && method !== "HEAD") {
        res.setHeader("Allow", "GET, HEAD");
        send(res, 405, { detail: "Method not allowed." });
      } else if (path === "/healthz") await sendHealth(res, serving?.site, since);
      else {
        setGauges(serving?.connections() ?? 0, serving?.site, now());
        sendText(res, 200, counts.registry.contentType, await counts.registry.metrics());
      }
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
    /** The counters of the server. */
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

async function sendHealth(res: ServerResponse, site: Site | undefined, since: Date): Promise<void> {
  if (!site) return send(res, 503, { detail: "No intact release is served." });
  const isThere = await stat(join(site.folder, SNAPSHOT)).catch(() => undefined);
  if (!isThere) return send(res, 503, { detail: "The folder of the release that is served is gone." });
  const { records, listings } = factsOf(site);
  return send(res, 200, { id: site.id, records, listings, since, built: builtAt(site) ?? null });
}

function send(res: ServerResponse, status: number, content: object): void {
  sendText(res, status, CONTENT_TYPE, `${JSON.stringify(content)}\n`);
}

function sendText(res: ServerResponse, status: number, type: string, body: string): void {
  const length = Buffer.byteLength(body);
  res.writeHead(status, { "Content-Type": type, "Cache-Control": NO_STORE, "Content-Length": length });
  res.end(body);
}

/** Adds the gauges of a server. @returns the function that sets them. Without a release, its numbers are NaN. */
function createGauges(registry: Registry) {
  const create = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const open = create("rollcall_connections", "Connections that are open.");
  const records = create("rollcall_snapshot_records", "Records of the release that is served.");
  const age = create("rollcall_snapshot_age_seconds", "How long ago the release that is served was built.");
  const info = create("rollcall_snapshot_info", "The id of the release that is served.", ["id"]);
  return (connections: number, site: Site | undefined, now: Date): void => {
    const built = site && builtAt(site);
    open.set(connections);
    records.set(site ? factsOf(site).records : Number.NaN);
    age.set(built ? (now.getTime() - built.getTime()) / 1000 : Number.NaN);
    info.reset();
    if (site) info.set({ id: site.id }, 1);
  };
}

/** The build time of a release, from the name of its folder; undefined for another name. */
function builtAt({ folder }: Site): Date | undefined {
  return parseFolderName(basename(folder))?.time;
}
