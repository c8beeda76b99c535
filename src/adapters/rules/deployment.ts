/** One release and where it stands on a host: what the files of most hosts are written from. */
import { join } from "node:path";
import { DEFAULT_CACHE_CONTROL, type Encoding, etagOf, snapshotHeaders } from "../../contract/headers.js";
import { basePath } from "../../contract/links.js";
import { readReleaseFile, sha256 } from "../../release/files.js";
import { pagePath, SUMS, USERS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { SETTINGS } from "../../settings/table.js";
import { type Rules, rulesOf } from "./rules.js";

/** Where the host finds things, and where it is found. */
interface Placement {
  /** The folder of the release, on the machine of the host. */
  root: string;
  /** The folder that the written files go to. */
  folder: string;
  serverName: string;
  /** What to listen on; every address unless given. */
  address?: string | undefined;
  /** What was asked for, or what the base URL says; undefined where that has https, which takes a certificate. */
  port: number | undefined;
  /** `http:` or `https:`, as readers have it. */
  protocol: string;
  /** Where a host that can only serve paths has the release: `https://example.github.io/directory`. */
  origin: URL;
}

export interface Deployment extends Rules, Placement {
  release: Release;
  /** The SHA-256 of SHA256SUMS, which lists all digests but its own. */
  sumsDigest: string;
}

/** What may be said of a site instead of what its release says. */
export interface DeploymentOptions {
  root?: string | undefined;
  folder?: string | undefined;
  serverName?: string | undefined;
  address?: string | undefined;
  listenPort?: number | undefined;
  basePath?: string | undefined;
  origin?: string | undefined;
  cacheControl?: string | undefined;
}

/**
 * A release as a host sees it; what is not said otherwise comes from its folder and its base URL.
 * @param siblings the codings that the host can choose from where the release has files in them.
 */
export async function openDeployment(
  release: Release,
  siblings: readonly Encoding[],
  options: DeploymentOptions = {},
): Promise<Deployment> {
  const { snapshot, folder, sums } = release;
  const url = new URL(snapshot.base_url);
  const rules = rulesOf({
    base: options.basePath ?? basePath(snapshot.base_url),
    links: snapshot.links,
    encodings: snapshot.encodings.filter((encoding) => siblings.includes(encoding)),
    cacheControl: options.cacheControl ?? DEFAULT_CACHE_CONTROL,
    others: [...sums.others.keys(), SUMS].filter(isPublic),
  });
  return {
    ...rules,
    headers: { ...rules.headers, ...snapshotHeaders(snapshot.id) },
    release,
    sumsDigest: sha256(await readReleaseFile(join(folder, SUMS))),
    root: options.root ?? folder,
    folder: options.folder ?? "/etc/rollcall",
    serverName: options.serverName ?? url.hostname,
    address: options.address,
    port: options.listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    protocol: url.protocol,
    origin: new URL(options.origin ?? SETTINGS.origin.default),
  };
}

/** The digests of users are for who has the release; Rollcall's own host does not give them out either. */
function isPublic(path: string): boolean {
  return path !== USERS;
}

/** The path of every file that the host serves, with its strong tag, each as soon as it is asked for. */
export function* tagsOf({ release, encodings, sumsDigest }: Deployment): Generator<[path: string, tag: string]> {
  const { pages, others } = release.sums;
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of ["identity", ...encodings] as const) {
      yield [pagePath(page, variant), etagOf(pages.get(page, variant) ?? "")];
    }
  }
  for (const [path, digest] of others) if (isPublic(path)) yield [path, etagOf(digest)];
  yield [SUMS, etagOf(sumsDigest)];
}
