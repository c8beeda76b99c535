/** A server that listens before there is a release, so that the release's links can lead to it. */
import { createServer, type Server as HttpServer, type ServerResponse } from "node:http";
import { NO_CACHE } from "../core/contract/headers.js";
import { hasCode } from "../core/errors.js";
import type { Site } from "../core/release/site.js";
import { SETTINGS } from "../core/settings/table.js";
import { SERVER_LIMITS } from "../serve/limits.js";
import { listen } from "../serve/listen.js";
import { createListingServer, type Server } from "../serve/serve.js";

export interface EarlyServer {
  /** The address that it listens on: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Serves the current release of this folder from now on. @returns that release */
  show(folder: string): Promise<Site>;
  close(): Promise<void>;
}

/** Loopback only, since the data may be unfinished. */
const HOST = "127.0.0.1";

/**
 * Starts listening, and answers 503 until `show` is called.
 * @param port by default that of `rollcall serve`, or any free one if that is in use.
 * @param log is called with a line for each problem.
 * @throws UserError if the given port is in use or forbidden.
 */
export async function listenEarly(port: number | undefined, log: (line: string) => void): Promise<EarlyServer> {
  let site: Server | undefined;
  const server = createServer((req, res) => (site ? site.handler(req, res) : answerNotReady(res)));
  const origin = await listenOn(server, port);
  server.on("error", (error) => log(`The server reports: ${error.message}`));
  return {
    origin,
    async show(folder) {
      if (site) await site.reload();
      // Without NO_CACHE, a browser would show cached pages of the last build.
      else site = await createListingServer({ dist: folder, cacheControl: NO_CACHE }, { log });
      return site.site;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, site?.close()]);
    },
  };
}

async function listenOn(server: HttpServer, port: number | undefined): Promise<string> {
  const { backlog } = SERVER_LIMITS;
  try {
    return await listen(server, { port: port ?? SETTINGS.port.default, host: HOST }, backlog);
  } catch (error) {
    if (port !== undefined || !(error instanceof Error) || !hasCode(error.cause, "EADDRINUSE")) throw error;
    return listen(server, { port: 0, host: HOST }, backlog);
  }
}

function answerNotReady(res: ServerResponse): void {
  const text = "There is no release yet: it is being built, or the terminal shows why it cannot be built.\n";
  res.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": NO_CACHE, "Retry-After": "1" });
  res.end(text);
}
