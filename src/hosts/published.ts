/** The files for other hosts that a build puts into a release. */
import type { Contract } from "../contract/contract.js";
import type { Encoding } from "../contract/headers.js";
import { type HostFile, publishedFor } from "./host.js";
import { hostOf } from "./hosts.js";
import { rulesOf, servedEncodings } from "./rules.js";
import { listingSettings, type SiteOptions } from "./site.js";

/** Settings of a build about other hosts. */
type AdaptedBuild = Pick<SiteOptions, "basePath" | "cacheControl"> & {
  adapt: readonly string[];
  contract: Contract;
  baseUrl: string;
  encodings: readonly Encoding[];
};

/** The hosts' files that a build publishes. @throws UserError (usage) if a host does not exist */
export function publishedFiles({ adapt, contract, ...options }: AdaptedBuild): Pick<HostFile, "path" | "text">[] {
  return adapt.map(hostOf).flatMap((host) => {
    const encodings = servedEncodings(host.compression, options.encodings);
    const settings = listingSettings({ ...options, path: contract.listing.path, encodings }, options);
    return publishedFor(host, rulesOf(settings)).map(({ path, text }) => ({ path, text }));
  });
}
