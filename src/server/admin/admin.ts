/** A second listener, for the server's operator and not for its readers: is it healthy, and what has it done? */
import { stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { CONTENT_TYPE, NO_STORE } from "../../contract/headers.js";
import { SNAPSHOT } from "../../release/layout.js";
import { type Address, listen } from "../connections/listen.js";
import { SERVER_LIMITS } from "../limits.js";
import type { CountedServer, ServedRelease } from "../server.js";
import { builtAt, describeMetrics, type Served, ServerCounts } from "./metrics.js";

const ADMIN_FLAGS = { port: "port for --admin", host: "--admin with" };

/** A new connection takes the place of the oldest one: answers take no time, so that one is silent. */
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
    /** What the server's first process counts, which is all of it where there is one process. */
    counts,
    /** From now on, this server serves; without one, none does. */
    watch(server?: NonNullable<typeof serving>) {
      serving = server;
      since = now();
    },
    /** Another release is served from now on. */
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
  if (!served) return toPage(503, { detail: "No whole release is served." });
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
