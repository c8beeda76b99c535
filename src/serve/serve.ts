/** The HTTP server of a listing: serves the current release, and switches when `current` does. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_CACHE_CONTROL } from "../core/contract/headers.js";
import { basePath } from "../core/contract/links.js";
import type { Site } from "../core/release/site.js";
import type { Complete, OptionsFor } from "../core/settings/settings.js";
import { type AccessEntry, createRecorder } from "./access-log.js";
import { createConnections } from "./connections.js";
import type { Counts } from "./counts.js";
import { followCurrent } from "./current.js";
import type { Take } from "./fast-path/connection.js";
import { readPlainGet } from "./fast-path/request.js";
import { SERVER_LIMITS, type ServerLimits, shareDescriptors } from "./limits.js";
import { type Address, type HandedSocket, listen } from "./listen.js";
import { toText } from "./send.js";
import { createStore, defaultCacheMb } from "./store.js";

/** `dist` is a folder of releases, whose current one is served, or the folder of one release. */
export type ServerOptions = OptionsFor<"serve">;

export interface ServerEffects {
  /** Called with a line for each problem: a damaged page, a release that cannot be served. */
  log?: ((line: string) => void) | undefined;
  /** Called with one entry for each response. It costs some time, so leave it out if not needed. */
  access?: ((entry: AccessEntry) => void) | undefined;
  /** Called when another release is served from now on. */
  onSwitch?: ((site: Site) => void) | undefined;
}

export interface Server {
  /** The release that is served now: one listing, or several. */
  readonly site: Site;
  /** Handles one request of any Node HTTP server. */
  handler(req: IncomingMessage, res: ServerResponse): void;
  /**
   * Listens on an address. Returns the URL that stands for the base URL, such as `http://127.0.0.1:8080/directory`.
   * @throws UserError if the port is taken or forbidden, or the address is not this machine's.
   */
  listen(address: Address): Promise<{ url: string }>;
  /** Checks `current` now. If its release cannot be served, logs that and keeps serving the old one. */
  reload(): Promise<void>;
  /** Stops accepting connections and finishes responses that have begun, within 10 seconds. */
  close(): Promise<void>;
}

export interface CountedEffects extends ServerEffects {
  /** Counts responses and refusals. */
  counts?: Counts | undefined;
  /** Aborts the opening of a release, as `close` does. */
  signal?: AbortSignal | undefined;
}

export interface CountedServer extends Server {
  listen(address: Address | HandedSocket): Promise<{ url: string }>;
  /** The number of open connections. */
  connections(): number;
}

/** The statuses of pages and files. The fast path leaves other ones to Node's server. */
const FAST: readonly number[] = [200, 304, 500];

/** Opens a server that does not listen yet. @throws UserError for a missing or broken release. */
export async function createListingServer(
  options: Complete<ServerOptions>,
  { log = () => {}, access, onSwitch, counts, signal }: CountedEffects = {},
  limits: ServerLimits = SERVER_LIMITS,
): Promise<CountedServer> {
  const { dist, cacheControl = DEFAULT_CACHE_CONTROL, cacheMb = defaultCacheMb() } = options;
  const recorder = createRecorder(access, counts);
  const share = shareDescriptors(limits);
  const store = createStore(cacheMb, log, counts);
  const routeOptions = { cacheControl, store, downloads: { running: 0, most: share.downloads }, log };
  const closing = new AbortController();
  const ended = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
  const current = await followCurrent(dist, routeOptions, limits, ended, onSwitch, () => counts?.add("refused"));

  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const { routes } = current;
    recorder?.watch(res, routes.site.id);
    routes.handle(req, res);
  };
  const take: Take = (text, at, socket) => {
    const plain = readPlainGet(text, at, limits.fastBytes);
    if (!plain) return undefined;
    const { site, answer: answerTo } = current.routes;
    const answer = answerTo(plain);
    const { head, body, file } = answer;
    if (file || !FAST.includes(head.status)) return undefined;
    const { method, target: url, headers, end } = plain;
    const record = recorder?.begin(socket, site.id, { method, url, version: "1.1", headers });
    const done = () => {
      // Node reports no error for what was not sent when the connection was cut.
      const isBroken = socket.destroyed;
      record?.(head.status, isBroken ? 0 : (body?.length ?? 0), head.encoding, isBroken);
    };
    return { end, answer, done: record && done };
  };
  const { server, serve, open, close } = createConnections(limits, share, {
    take,
    giveBack: store.giveBack,
    handle,
    refuse(socket, status) {
      const { answers, site } = current.routes;
      const answer = answers.error(status);
      recorder?.watchRefusal(socket, site.id, status, answer.body?.length ?? 0);
      return toText(answer);
    },
    log,
  });
  if (recorder) server.prependListener("connection", recorder.rememberAddress);
  let closed: Promise<void> | undefined;
  return {
    get site() {
      return current.routes.site;
    },
    handler: serve,
    async listen(address) {
      const origin = await listen(server, address, limits.backlog);
      server.on("error", (error) => log(`The server reports: ${error.message}`));
      return { url: `${origin}${basePath(current.routes.site.baseUrl)}` };
    },
    reload: current.reload,
    connections: open,
    close() {
      closing.abort();
      closed ??= Promise.all([current.stop(), close()]).then(() => {});
      return closed;
    },
  };
}
