/** The host: one release over HTTP, to the letter of contract part 2, and the next one when `current` is switched. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { basePath } from "../contract/links.js";
import { usageError } from "../errors.js";
import type { Release } from "../release/open.js";
import { SETTINGS } from "../settings/table.js";
import { atMost } from "../workers/at-most.js";
import { type AccessEntry, createAccessLog } from "./access-log.js";
import { followCurrent } from "./current.js";
import { shareDescriptors } from "./descriptors.js";
import { createHttpServer } from "./http.js";
import { SERVER_LIMITS, type ServerLimits } from "./limits.js";
import { type Address, listen } from "./listen.js";
import { createPageCache } from "./page-cache.js";

export interface ListingServerOptions {
  /** `dist`, whose `current` is followed, or one release's own folder, which is served for good. */
  folder: string;
  /** Cache-Control of pages, `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
  /** Megabytes of page bodies kept in memory. */
  cacheMb?: number | undefined;
}

/** What is known of a release wherever it is served from. */
export type ServedRelease = Pick<Release, "folder" | "snapshot">;

export interface ListingServerEffects {
  /** Trouble, one line each: a damaged page, a release that cannot be taken up. Untold unless given. */
  log?: ((line: string) => void) | undefined;
  /** One entry an answer. Costs a little for each; leave it out where nobody reads it. */
  access?: ((entry: AccessEntry) => void) | undefined;
  /** Another release is served from now on. */
  onSwitch?: ((release: ServedRelease) => void) | undefined;
}

export interface ListingServer {
  /** The release that is served now. */
  readonly release: Release;
  /** Answers one request of any node server's. */
  handler(req: IncomingMessage, res: ServerResponse): void;
  /**
   * Serves on a socket of its own. The URL is where `/api/users/` is below, as `http://127.0.0.1:8080/directory`.
   * @throws UserError when the port is taken or forbidden, or the address is not this machine's.
   */
  listen(address: Address): Promise<{ url: string }>;
  /** Looks at `current` now. What cannot be taken up is logged, and the old release stays. */
  reload(): Promise<void>;
  /** Stops accepting, finishes what is in flight; nothing is left after 10 seconds. */
  close(): Promise<void>;
}

/**
 * Opens what is to be served.
 * @param limits every time limit, for those who must not wait for the usual ones
 * @throws UserError for a missing or broken release and for options that cannot be used, before any request.
 */
export async function createListingServer(
  { folder, cacheControl = DEFAULT_CACHE_CONTROL, cacheMb = SETTINGS.cacheMb.default }: ListingServerOptions,
  { log = () => {}, access, onSwitch }: ListingServerEffects = {},
  limits: ServerLimits = SERVER_LIMITS,
): Promise<ListingServer> {
  refuseBadOptions(cacheControl, cacheMb);
  const ledger = access && createAccessLog(access);
  const descriptors = shareDescriptors(limits.openFiles);
  const siteOptions = {
    cacheControl,
    bodies: createPageCache(cacheMb, log),
    opening: atMost(descriptors.files),
    log,
    sent: ledger?.sent,
  };
  const current = await followCurrent(folder, siteOptions, limits, onSwitch);

  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    const { site } = current;
    ledger?.open(req, res, site.release.snapshot.id);
    site.handle(req, res);
  };
  const { server, close } = createHttpServer(limits, descriptors, {
    take(text, at, socket) {
      const { site } = current;
      const taken = site.quick(text, at);
      if (!taken || !ledger) return taken;
      return { ...taken, done: ledger.openQuick(socket, taken.url, site.release.snapshot.id) };
    },
    handle: handler,
    fail(req, res, status) {
      const { site } = current;
      ledger?.open(req, res, site.release.snapshot.id);
      site.fail(res, status);
    },
    refuse(socket, status) {
      const { site } = current;
      const text = site.raw(status);
      ledger?.refused(socket, status, text, site.release.snapshot.id);
      return text;
    },
    log,
  });
  let closed: Promise<void> | undefined;
  const shutDown = async () => {
    await current.stop();
    await close();
    await current.site.retire();
  };

  return {
    get release() {
      return current.site.release;
    },
    handler,
    async listen(address) {
      const origin = await listen(server, address, limits.backlog);
      server.on("error", (error) => log(`The server reports: ${error.message}`));
      return { url: `${origin}${basePath(current.site.release.snapshot.base_url)}` };
    },
    reload: current.reload,
    close: () => (closed ??= shutDown()),
  };
}

function refuseBadOptions(cacheControl: string, cacheMb: number): void {
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(cacheControl))
    throw usageError(
      `Cache-Control ${JSON.stringify(cacheControl)} cannot stand in a header; give one like "${DEFAULT_CACHE_CONTROL}".`,
    );
  if (!Number.isFinite(cacheMb) || cacheMb < 0)
    throw usageError(`The cache's size must be 0 or more megabytes, got ${cacheMb}.`);
}
