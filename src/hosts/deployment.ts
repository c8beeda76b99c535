/** What a host's files are written from: one release and where it lies on a host, and the site that serves it. */
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

/** What an administrator decides about a site. */
export const SITE_SETTINGS = pick("serverName", "address", "listenPort");
export type HostedSiteOptions = OptionsOf<keyof typeof SITE_SETTINGS>;

export type HostedSite = ReturnType<typeof siteOf>;

/**
 * A listing on a host, whichever release is current.
 * @param root the folder of the releases on the host's machine.
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
    /** What to listen on, an IPv6 address in brackets; every address where it is undefined. */
    address: address?.replace(/^[^[]*:.*$/, "[$&]"),
    /** Undefined where readers use https, so that the host needs a certificate or a server in front. */
    port: listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    /** The path of a file that the current release holds for the host. */
    included: (file: string) => join(root, CURRENT, INCLUDED, file),
  };
}

/** A release, whose SHA256SUMS may not be written yet. */
export interface Contents {
  /** Its folder on the host's machine, in that of the releases. */
  folder: string;
  snapshot: Snapshot;
  sums: Sums;
  /** Whether it has, or will have, a signature of SHA256SUMS. */
  isSigned: boolean;
}

/** The settings of how a host serves a release. */
export const SERVING_SETTINGS = pick("root", "basePath", "origin", "cacheControl");
export type ServingOptions = OptionsOf<keyof typeof SERVING_SETTINGS>;

export type Deployment = ReturnType<typeof deploymentOf>;

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
    /** The path of a file that the release holds for the host. */
    included: (file: string) => join(folder, INCLUDED, file),
    /** Begins every name that all sites of a server share. No other release on the server has it. */
    key: `rollcall_${sha256(folder).slice(0, 8)}`,
    /** Where another host has the folder of the releases: `https://static.example.com/directory`. */
    origin: new URL(options.origin ?? SETTINGS.origin.default),
  };
}

/** The folder of the releases, from that of one of them. */
export function rootOf(folder: string): string {
  return dirname(dirname(folder));
}

/** The path of every file that the host serves, with its strong tag; one at a time, since there can be millions. */
export function* tagsOf(deployment: Deployment): Generator<[path: string, tag: string]> {
  const { paths, pages } = deployment.sums;
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of ["identity", ...deployment.encodings] as const) {
      yield [paths.path(page, variant), etagOf(pages.get(page, variant) ?? "")];
    }
  }
  const { folder, sums, isSigned } = deployment;
  for (const [path, digest] of sums.others) if (isPublic(path)) yield [path, etagOf(digest)];
  // Their own digests cannot stand in a file that SHA256SUMS lists. The name belongs to these bytes alone.
  for (const path of unlistedFiles({ isSigned })) yield [path, etagOf(sha256(basename(folder)))];
}
