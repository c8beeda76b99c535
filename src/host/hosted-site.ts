/** The site that a host's files are for: its listings, where its releases are, and where the host listens. */
import { DEFAULT_CACHE_CONTROL } from "../core/contract/headers.js";
import { basePath } from "../core/contract/links.js";
import { usageError } from "../core/errors.js";
import type { Site } from "../core/release/site.js";
import type { OptionsOf } from "../core/settings/settings.js";
import { type Compression, type HostSettings, type SiteRules, servedEncodings, siteRulesOf } from "./rules.js";

/** Settings of a host's files. */
export type HostOptions = OptionsOf<"serverName" | "address" | "listenPort" | "root" | "basePath" | "cacheControl">;

export interface HostedSite {
  rules: SiteRules;
  baseUrl: string;
  serverName: string;
  /** The address to listen on, IPv6 in brackets; undefined for all addresses. */
  address: string | undefined;
  /** Undefined with https, for which the host needs a certificate or a server in front. */
  port: number | undefined;
  /** The folder of releases on the host's machine. */
  dist: string;
  /** The folder of the site's files on the host's machine. */
  folder: string;
  /** Only for hosts that cannot find out which files exist. */
  released: Site;
}

/** The settings of a site that rules are made of. */
export function hostSettings(
  { baseUrl, listings, encodings }: Pick<HostSettings, "baseUrl" | "listings" | "encodings">,
  { basePath: base, cacheControl = DEFAULT_CACHE_CONTROL }: Pick<HostOptions, "basePath" | "cacheControl">,
): HostSettings {
  return { baseUrl, base: base ?? basePath(baseUrl), listings, encodings, cacheControl };
}

/** The settings of a released site that rules are made of. */
export function hostSettingsOf(
  { baseUrl, listings }: Site,
  options: Pick<HostOptions, "basePath" | "cacheControl">,
): HostSettings {
  const places = listings.map(({ name, release }) => ({ name, path: release.contract.listing.path }));
  // All listings of a site have the same codings.
  const encodings = listings[0]?.release.snapshot.encodings ?? [];
  return hostSettings({ baseUrl, listings: places, encodings }, options);
}

/**
 * Describes a site.
 * @param dist the folder of releases, unless `root` is given.
 * @param folder the folder of the site's files.
 */
export function siteOf(
  released: Site,
  settings: HostSettings,
  { compression, dist, folder }: { compression: Compression; dist: string; folder: string },
  { serverName, address, listenPort, root }: HostOptions = {},
): HostedSite {
  const { baseUrl, encodings } = settings;
  const url = new URL(baseUrl);
  return {
    rules: siteRulesOf({ ...settings, encodings: servedEncodings(compression, encodings) }),
    baseUrl,
    serverName: serverName ?? url.hostname,
    address: address?.replace(/^[^[]*:.*$/, "[$&]"),
    port: listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    dist: root ?? dist,
    folder,
    released,
  };
}

/**
 * Requires a path to have no character that the configuration of nginx, Apache or Caddy expands or ends a word at, since each
 * has places where it cannot be escaped. Blanks are allowed.
 * @throws UserError (usage)
 */
export function plainPath(path: string): string {
  const [character] = /["'`\\$%{}[\]*?<>\p{Cc}]/u.exec(path) ?? [];
  if (character === undefined) return path;
  throw usageError(
    `The host's configuration cannot hold ${JSON.stringify(character)}, as in ${JSON.stringify(path)}. Name a path without " ' \` \\ $ % { } [ ] * ? < >, such as a link to it.`,
  );
}
