/** The files at the top of a site that describe its listings: openapi.json, datapackage.json, and index.html with the explorer. */
import type { Contract } from "../../core/contract/contract.js";
import { DATA_PACKAGE, EXPLORER, OPENAPI, SIGNATURE } from "../../core/release/layout.js";
import type { DescribedSite } from "../../explorer/overview.js";
import type { Sink } from "./artifact.js";
import { describeSitePackage, type PackagedFile } from "./data-package.js";
import type { ApiDescription } from "./openapi/described.js";
import { describeSiteApi } from "./openapi/openapi.js";

/** A listing of a site. */
interface WrittenListing {
  name: string;
  contract: Contract;
  described: ApiDescription;
  /** The number of records. */
  count: number;
  /** The files that datapackage.json names. */
  packaged: readonly PackagedFile[];
}

/** Writes the files. Equal arguments give equal bytes. */
export async function writeSiteFiles(
  sink: Pick<Sink, "put">,
  site: DescribedSite,
  listings: readonly WrittenListing[],
): Promise<void> {
  sink.put(OPENAPI, Buffer.from(describeSiteApi(site, listings)));
  if (site.dataPackage) {
    const packaged = listings.map(({ packaged, ...listing }) => ({ ...listing, files: packaged }));
    sink.put(DATA_PACKAGE, Buffer.from(describeSitePackage(site, packaged)));
  }
  const has = (path: string) => listings.every(({ described }) => described.files.includes(path));
  if (!has(EXPLORER)) return;
  const { sitePage } = await import("../../explorer/overview.js");
  sink.put(EXPLORER, Buffer.from(sitePage(site, listings, has(SIGNATURE))));
}
