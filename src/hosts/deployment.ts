/** The data for a host's files: a release with its location on the host, and the site that serves it. */
import { basename, dirname, join } from "node:path";
import { DEFAULT_CACHE_CONTROL, etagOf, snapshotHeaders } from "../contract/headers.js";
import { basePath } from "../contract/links.js";
import { CURRENT, INCLUDED, isPublic, unlistedFiles } from "../release/layout.js";
import { sha256 } from "../release/plain-files.js";
import type { Snapshot } from "../release/snapshot-file.js";
import type { Sums } from "../release/sums.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { type Compression, rulesOf, servedEncodings } from "./rules.js";

/** Settings of a site. */
export const SITE_SETTINGS = pick("serverName", "address", "listenPort");
export type HostedSiteOptions = OptionsOf<keyof typeof SITE_SETTINGS>;

export type HostedSite = ReturnType<typeof siteOf>;

/**
 * Describes a listing on a host, independent of the current release.
 * @param root the folder of the releases on the host.
 */
export function siteOf(
  baseUrl: string,
  root: string,
  { serverName, address, listenPort, basePath: base }: HostedSiteOptions & Pick<ServingOptions, "basePath"> = {},
) {
  const url = new URL(baseUrl);
  return {
    baseUrl,
    base: base ?? basePath(baseUrl),
    serverName: serverName ?? url.hostname,
    /** The address to listen on, IPv6 in brackets; undefined for all addresses. */
    address: address?.replace(/^[^[]*:.*$/, "[$&]"),
    /** Undefined with https, for which the host needs a certificate or a server in front. */
    port: listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    /** The path of a host's file in the current release. */
    included: (file: string) => join(root, CURRENT, INCLUDED, file),
  };
}

/** A release, possibly before SHA256SUMS is written. */
export interface Contents {
  /** Its folder on the host, in the folder of the releases. */
  folder: string;
  snapshot: Snapshot;
  sums: Sums;
  /** Whether it has, or will have, a signature of SHA256SUMS. */
  isSigned: boolean;
}

/** Settings of how a host serves a release. */
export const SERVING_SETTINGS = pick("root", "basePath", "origin", "cacheControl");
export type ServingOptions = OptionsOf<keyof typeof SERVING_SETTINGS>;

export type Deployment = ReturnType<typeof deploymentOf>;

/** Describes a release on a host. */
export function deploymentOf(
  { folder, snapshot, sums, isSigned }: Contents,
  compression: Compression,
  options: ServingOptions = {},
) {
  const rules = rulesOf({
    base: options.basePath ?? basePath(snapshot.base_url),
    paths: sums.paths,
    encodings: servedEncodings(compression, snapshot.encodings),
    cacheControl: options.cacheControl ?? DEFAULT_CACHE_CONTROL,
    others: [...sums.others.keys(), ...unlistedFiles({ isSigned })].filter(isPublic),
  });
  return {
    ...rules,
    headers: { ...rules.headers, ...snapshotHeaders(snapshot.id) },
    folder,
    snapshot,
    sums,
    isSigned,
    /** The path of a host's file in the release. */
    included: (file: string) => join(folder, INCLUDED, file),
    /** Prefix of names that are global on a server. It is unique for the release. */
    key: `rollcall_${sha256(folder).slice(0, 8)}`,
    /** URL of the folder of the releases on another host: `https://static.example.com/directory`. */
    origin: new URL(options.origin ?? SETTINGS.origin.default),
  };
}

/** The folder of the releases. @param folder of one release. */
export function rootOf(folder: string): string {
  return dirname(dirname(folder));
}

/** Iterates the paths of all served files with their ETags. There can be millions. */
export function* tagsOf(deployment: Deployment): Generator<[path: string, tag: string]> {
  const { paths, pages } = deployment.sums;
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of ["identity", ...deployment.encodings] as const) {
      yield [paths.path(page, variant), etagOf(pages.get(page, variant) ?? "")];
    }
  }
  const { folder, sums, isSigned } = deployment;
  for (const [path, digest] of sums.others) if (isPublic(path)) yield [path, etagOf(digest)];
  // SHA256SUMS and its signature have ETags made of the release's unique name: their digests cannot be in a file that they list.
  for (const path of unlistedFiles({ isSigned })) yield [path, etagOf(sha256(basename(folder)))];
}
