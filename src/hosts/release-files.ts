/** The files for other hosts that a build puts into a release. */
import type { Contract } from "../contract/contract.js";
import { DEFAULT_CACHE_CONTROL, type Encoding } from "../contract/headers.js";
import { AVATAR_PATH, basePath } from "../contract/links.js";
import { type UserError, usageError } from "../errors.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  EXPLORER_FILES,
  LOOKUP,
  OPENAPI,
  PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
} from "../release/layout.js";
import { sha256 } from "../release/plain-files.js";
import { type Contents, deploymentOf, type ServingOptions } from "./deployment.js";
import { type HostFile, includedFor, publishedFor } from "./host.js";
import { HOSTS, hostOf, requireServed } from "./hosts.js";
import { rulesOf, servedEncodings } from "./rules.js";

/**
 * The hosts' files that a build publishes, and that are part of the id.
 * @throws UserError (usage) if the host does not exist, cannot serve the listing, or needs no files, or if the listing has the path
 * of one.
 */
export function publishedFiles({
  adapt: names = [],
  contract,
  baseUrl,
  encodings,
  carriesAvatar,
  lookup,
  explorer,
  ...options
}: AdaptedBuild): Pick<HostFile, "path" | "text">[] {
  const { path: listing } = contract.listing;
  const files = names.map(hostOf).flatMap((host) => {
    requireServed(host, listing);
    if (!host.published && !host.included) throw needsNoFiles(host.name);
    if (!host.published) return [];
    const rules = rulesOf({
      base: basePath(baseUrl),
      paths: new PagePaths(listing),
      encodings: servedEncodings(host.compression, encodings),
      cacheControl: options.cacheControl ?? DEFAULT_CACHE_CONTROL,
      // All optional files, since they depend on other settings. A missing one is answered with 404.
      others: [
        ...(carriesAvatar ? [AVATAR_PATH] : []),
        ...(lookup ? [LOOKUP] : []),
        ...(explorer ? EXPLORER_FILES : []),
        ...[CSV, BULK, CHANGES, CONTRACT, OPENAPI, SNAPSHOT, SUMS, SIGNATURE],
      ],
    });
    return publishedFor(host, rules);
  });
  const taken = files.find(({ path }) => listing.startsWith(`/${path}/`));
  if (taken)
    throw usageError(
      `The listing's path ${listing} begins with ${taken.path}, which is a file of the host in the release. Change x-listing.path of the contract.`,
    );
  return files.map(({ path, text }) => ({ path, text }));
}

function needsNoFiles(name: string): UserError {
  const others = HOSTS.filter(({ published, included }) => published || included).map((other) => other.name);
  return usageError(
    `${name} needs no files in the release. Build without --adapt, then run "rollcall host ${name}". --adapt is for ${others.join(", ")}.`,
  );
}

/** Settings of a build about other hosts. */
type AdaptedBuild = ServingOptions & {
  adapt?: readonly string[] | undefined;
  contract: Contract;
  baseUrl: string;
  encodings: readonly Encoding[];
  carriesAvatar: boolean;
  lookup: boolean;
  explorer: boolean;
};

/** The first of these files that is missing in a release, or differs. */
export function findDiffering({ sums }: Pick<Contents, "sums">, files: readonly HostFile[]): HostFile | undefined {
  return files.find(({ path, text }) => sums.others.get(path) !== sha256(text));
}

/** The hosts' files that contain the release's id or digests, and are not part of the id. */
export function includedFiles(
  { adapt: names = [], ...options }: Pick<AdaptedBuild, "adapt"> & ServingOptions,
  contents: Contents,
): HostFile[] {
  return names.map(hostOf).flatMap((host) => includedFor(host, deploymentOf(contents, host.compression, options)));
}
