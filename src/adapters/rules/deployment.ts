/** One release and where it lies on a host: what an adapter's files are written from. */
import { join } from "node:path";
import { DEFAULT_CACHE_CONTROL, etagOf, snapshotHeaders } from "../../contract/headers.js";
import { basePath } from "../../contract/links.js";
import { readReleaseFile, sha256 } from "../../release/files.js";
import { isPublic, pagePath, SUMS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { type OptionsOf, pick } from "../../settings/settings.js";
import { SETTINGS } from "../../settings/table.js";
import { type Compression, rulesOf, servedEncodings } from "./rules.js";

/** The settings that replace what comes from the release. */
export const PLACEMENT = pick("root", "serverName", "basePath", "address", "listenPort", "origin", "cacheControl");
export type DeploymentOptions = OptionsOf<keyof typeof PLACEMENT>;

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** @param folder where the files go on the host. */
export async function openDeployment(
  release: Release,
  compression: Compression,
  { folder = "/etc/rollcall", ...options }: DeploymentOptions & { folder?: string | undefined } = {},
) {
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
    /** The SHA-256 of SHA256SUMS, which lists all digests but its own. */
    sumsDigest: sha256(await readReleaseFile(join(release.folder, SUMS))),
    /** The release's folder on the machine of the host. */
    root: options.root ?? release.folder,
    folder,
    serverName: options.serverName ?? url.hostname,
    /** What to listen on; every address where it is undefined. */
    address: options.address,
    /** Undefined where readers use https, so that the host needs a certificate or a server in front. */
    port: options.listenPort ?? (url.protocol === "http:" ? Number(url.port || 80) : undefined),
    protocol: url.protocol,
    /** Where another host has the release's files: `https://example.github.io/directory`. */
    origin: new URL(options.origin ?? SETTINGS.origin.default),
  };
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

/** The tags of the files that are not pages. */
export function* fileTagsOf({ release, sumsDigest }: Deployment): Generator<[path: string, tag: string]> {
  for (const [path, digest] of release.sums.others) if (isPublic(path)) yield [path, etagOf(digest)];
  yield [SUMS, etagOf(sumsDigest)];
}

/** The tags as a text file, with a path and its tag in each line. */
export function tagLines(deployment: Deployment): string {
  return [...tagsOf(deployment)].map(([path, tag]) => `${path} ${tag}\n`).join("");
}
