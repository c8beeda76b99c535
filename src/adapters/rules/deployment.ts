/** One release and where it lies on a host: what an adapter's files are written from. */
import { join } from "node:path";
import { DEFAULT_CACHE_CONTROL, etagOf, snapshotHeaders } from "../../contract/headers.js";
import { basePath } from "../../contract/links.js";
import { readReleaseFile, sha256 } from "../../release/files.js";
import { pagePath, SUMS, USERS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { SETTINGS } from "../../settings/table.js";
import { type Compression, type Rules, rulesOf, servedEncodings } from "./rules.js";

export interface Deployment extends Rules {
  release: Release;
  /** The SHA-256 of SHA256SUMS, which lists all digests but its own. */
  sumsDigest: string;
  /** The release's folder, on the machine of the host. */
  root: string;
  /** The folder that the written files go to. */
  folder: string;
  serverName: string;
  /** What to listen on; every address unless given. */
  address?: string | undefined;
  /** As given, or the base URL's; undefined where that has https, which takes a certificate. */
  port: number | undefined;
  /** The base URL's: `http:` or `https:`. */
  protocol: string;
  /** Where another host has the release's files: `https://example.github.io/directory`. */
  origin: URL;
}

/** What replaces the values that come from the release. */
export interface DeploymentOptions {
  /** The release's folder on the machine of the host; where it is here unless given. */
  root?: string | undefined;
  /** The name that the host answers to, the path before `/api/users/`, and the port; the base URL's unless given. */
  serverName?: string | undefined;
  basePath?: string | undefined;
  listenPort?: number | undefined;
  /** The address that the host listens on; every one unless given. */
  address?: string | undefined;
  /** Where haproxy and fastly fetch the release's files. */
  origin?: string | undefined;
  /** Of pages; `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
}

/** @param folder where the files go, `/etc/rollcall` unless given. */
export async function openDeployment(
  release: Release,
  compression: Compression,
  { folder = "/etc/rollcall", ...options }: DeploymentOptions & { folder?: string | undefined } = {},
): Promise<Deployment> {
  const { snapshot, sums } = release;
  const url = new URL(snapshot.base_url);
  const rules = rulesOf({
    base: options.basePath ?? basePath(snapshot.base_url),
    encodings: servedEncodings(compression, snapshot.encodings),
    cacheControl: options.cacheControl ?? DEFAULT_CACHE_CONTROL,
    others: [...sums.others.keys(), SUMS].filter(isPublic),
  });
  return {
    ...rules,
    headers: { ...rules.headers, ...snapshotHeaders(snapshot.id) },
    release,
    sumsDigest: sha256(await readReleaseFile(join(release.folder, SUMS))),
    root: options.root ?? release.folder,
    folder,
    serverName: options.serverName ?? url.hostname,
    address: options.address,
    port: options.listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    protocol: url.protocol,
    origin: new URL(options.origin ?? SETTINGS.origin.default),
  };
}

/** The digests of users are for those who have the release; Rollcall's own host does not serve them either. */
function isPublic(path: string): boolean {
  return path !== USERS;
}

/** The path of every file that the host serves, with its strong tag; one at a time, since there can be millions. */
export function* tagsOf(deployment: Deployment): Generator<[path: string, tag: string]> {
  const { pages } = deployment.release.sums;
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of ["identity", ...deployment.encodings] as const) {
      yield [pagePath(page, variant), etagOf(pages.get(page, variant) ?? "")];
    }
  }
  yield* fileTagsOf(deployment);
}

/** As `tagsOf`, of the files that are not pages. */
export function* fileTagsOf({ release, sumsDigest }: Deployment): Generator<[path: string, tag: string]> {
  for (const [path, digest] of release.sums.others) if (isPublic(path)) yield [path, etagOf(digest)];
  yield [SUMS, etagOf(sumsDigest)];
}

/** A map of `tagsOf` as a text file: a path and its tag in each line. */
export function tagLines(deployment: Deployment): string {
  return [...tagsOf(deployment)].map(([path, tag]) => `${path} ${tag}\n`).join("");
}
