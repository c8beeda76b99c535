/** What a build puts into a release for other hosts. */
import type { Contract } from "../contract/contract.js";
import { DOWNLOAD_PATHS } from "../contract/downloads.js";
import { DEFAULT_CACHE_CONTROL, type Encoding } from "../contract/headers.js";
import { AVATAR_PATH, basePath } from "../contract/links.js";
import { type UserError, usageError } from "../errors.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
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
import { HOSTS, hostOf } from "./hosts.js";
import { rulesOf, servedEncodings } from "./rules.js";

/**
 * The files that a build with these settings needs in the release for hosts, and that its id counts.
 * @throws UserError (usage) when there is no such host, when it needs none, or when the listing would lie where one is.
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
  const files = names.map(hostOf).flatMap((host) => {
    if (!host.published && !host.included) throw needsNoFiles(host.name);
    if (!host.published) return [];
    const rules = rulesOf({
      base: basePath(baseUrl),
      paths: new PagePaths(contract.listing.path),
      encodings: servedEncodings(host.compression, encodings),
      cacheControl: options.cacheControl ?? DEFAULT_CACHE_CONTROL,
      // A release may have those of another build, too: where there is no such file, nothing is found.
      others: [
        ...(carriesAvatar ? [AVATAR_PATH] : []),
        ...(lookup ? [LOOKUP] : []),
        ...(explorer ? EXPLORER_FILES : []),
        ...DOWNLOAD_PATHS,
        ...[BULK, CHANGES, CONTRACT, OPENAPI, SNAPSHOT, SUMS, SIGNATURE],
      ],
    });
    return publishedFor(host, rules);
  });
  const taken = files.find(({ path }) => contract.listing.path.startsWith(`/${path}/`));
  if (taken)
    throw usageError(
      `The listing's path ${contract.listing.path} begins with ${taken.path}, a file that the host needs in the release; give the contract's x-listing.path another beginning.`,
    );
  return files.map(({ path, text }) => ({ path, text }));
}

function needsNoFiles(name: string): UserError {
  const others = HOSTS.filter(({ published, included }) => published || included).map((other) => other.name);
  return usageError(
    `${name} needs no file in the release: build without --adapt, then "rollcall host ${name}". Hosts that do are ${others.join(", ")}.`,
  );
}

/** What a build's settings say of other hosts. */
type AdaptedBuild = ServingOptions & {
  adapt?: readonly string[] | undefined;
  contract: Contract;
  baseUrl: string;
  encodings: readonly Encoding[];
  carriesAvatar: boolean;
  lookup: boolean;
  explorer: boolean;
};

/** The first of these files that a release does not hold as it is. */
export function findDiffering({ sums }: Pick<Contents, "sums">, files: readonly HostFile[]): HostFile | undefined {
  return files.find(({ path, text }) => sums.others.get(path) !== sha256(text));
}

/** The files in `hosts` that a build with these settings writes into a release, which they name. */
export function includedFiles(
  { adapt: names = [], ...options }: Pick<AdaptedBuild, "adapt"> & ServingOptions,
  contents: Contents,
): HostFile[] {
  return names.map(hostOf).flatMap((host) => includedFor(host, deploymentOf(contents, host.compression, options)));
}
