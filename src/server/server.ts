/** The HTTP server of a listing: serves the current release, and switches when `current` does. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { basePath } from "../contract/links.js";
import { usageError } from "../errors.js";
import type { Release } from "../release/open.js";
import { callback, checkOptions, folder, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { atMost } from "../workers/at-most.js";
import { type AccessEntry, createRecorder } from "./access-log.js";
import { ServerAnswer, toText } from "./answers.js";
import { shareDescriptors } from "./connections/descriptors.js";
import { createHttpServer } from "./connections/http.js";
import { type Address, type HandedSocket, listen } from "./connections/listen.js";
import type { MetricValues, ServerCounts } from "./counts.js";
import { followCurrent } from "./current.js";
import type { Take } from "./fast-path/connection.js";
import { SERVER_LIMITS, type ServerLimits } from "./limits.js";
import { createStore, defaultCacheMb } from "./page-cache.js";

export interface ListingServerOptions extends OptionsOf<"cacheControl" | "cacheMb"> {
  /** A `dist`, whose current release is served, or the folder of one release. */
  folder: string;
}

export type ServedRelease = Pick<Release, "folder" | "snapshot" | "contract">;

export interface ListingServerEffects {
  /** Called with a line for each problem: a damaged page, a release that cannot be served. */
  log?: ((line: string) => void) | undefined;
  /** Called with one entry for each response. It costs some time, so leave it out if not needed. */
  access?: ((entry: AccessEntry) => void) | undefined;
  /** Called when another release is served from now on. */
  onSwitch?: ((release: ServedRelease) => void) | undefined;
}

export interface ListingServer {
  /** The release that is served now. */
  readonly release: Release;
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

/** The number of open connections, and of serving processes. */
export interface ServerState {
  connections: number;
  processes: number;
  /** The metrics of the processes other than this one. */
  counted: MetricValues[];
}

export interface CountedEffects extends ListingServerEffects {
  /** Counts responses and refusals. */
  counts?: ServerCounts | undefined;
  /** Aborts the opening of a release, as `close` does. */
  signal?: AbortSignal | undefined;
}

export interface CountedServer extends ListingServer {
  listen(address: Address | HandedSocket): Promise<{ url: string }>;
  state(): ServerState;
}

/** Maximum pieces of large files that are read at once. Each needs a file descriptor while it is read. */
const MOST_PIECES = 16;

const OPTIONS: OptionRules<ListingServerOptions> = { folder, ...pick("cacheControl", "cacheMb") };
const EFFECTS: OptionRules<ListingServerEffects> = { log: callback, access: callback, onSwitch: callback };

/** Checks options and opens a server, see `createListingServer`. @throws UserError for a missing or broken release, and for invalid options. */
export async function openListingServer(options: ListingServerOptions, effects: ListingServerEffects = {}) {
  return createListingServer(
    checkOptions("createServer", options, OPTIONS, ["folder"]),
    checkOptions("createServer's second argument", effects, EFFECTS),
  );
}

/** Opens a server that does not listen yet. @throws UserError for a missing or broken release, and for invalid options. */
export async function createListingServer(
  options: ListingServerOptions,
  { log = () => {}, access, onSwitch, counts, signal }: CountedEffects = {},
  limits: ServerLimits = SERVER_LIMITS,
): Promise<CountedServer> {
  const { folder, cacheControl = DEFAULT_CACHE_CONTROL, cacheMb = defaultCacheMb() } = options;
  if (!SETTINGS.cacheControl.schema.safeParse(cacheControl).success)
    throw usageError(
      `Cache-Control ${JSON.stringify(cacheControl)} is not a valid header value; give one like "${DEFAULT_CACHE_CONTROL}".`,
    );
  if (!Number.isFinite(cacheMb) || cacheMb < 0)
    throw usageError(`The cache size must be 0 or more megabytes, got ${cacheMb}.`);
  const recorder = createRecorder(access, counts);
  const descriptors = shareDescriptors(limits.openFiles);
  const store = createStore(cacheMb, log, counts);
  const opening = atMost(MOST_PIECES);
  const siteOptions = { cacheControl, store, settleMs: limits.settleMs, opening, log };
  const closing = new AbortController();
  const ended = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
  const current = await followCurrent(folder, siteOptions, limits, ended, onSwitch, () => counts?.add("refused"));

  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const { site } = current;
    recorder?.watch(req, res, site.release.snapshot.id);
    site.handle(req, res);
  };
  const take: Take = (text, at, socket) => {
    const { release, answerPlain } = current.site;
    const plain = answerPlain(text, at);
    if (!plain) return undefined;
    const { url, end, headers, answer } = plain;
    return { end, answer, done: recorder?.beginPlain(socket, url, headers, release.snapshot.id) };
  };
  const http = createHttpServer(limits, descriptors, {
    take,
    handle,
    refuse(socket, status, isHead) {
      const { answers, release } = current.site;
      const answer = answers.error(status);
      recorder?.beginUnread(socket, release.snapshot.id)(isHead ? new ServerAnswer(answer.head) : answer);
      return toText(answer, isHead);
    },
    log,
  });
  const { server } = http;
  if (recorder) server.prependListener("connection", recorder.rememberAddress);
  let closed: Promise<void> | undefined;
  return {
    get release() {
      return current.site.release;
    },
    handler: handle,
    async listen(address) {
      const origin = await listen(server, address, limits.backlog);
      server.on("error", (error) => log(`The server reports: ${error.message}`));
      return { url: `${origin}${basePath(current.site.release.snapshot.base_url)}` };
    },
    reload: current.reload,
    state: () => ({ connections: http.open(), processes: server.listening ? 1 : 0, counted: [] }),
    close() {
      closing.abort();
      closed ??= Promise.all([current.stop(), http.close()]).then(() => {});
      return closed;
    },
  };
}
