/** The release that a server of one listing serves. */
import type { Release } from "../../src/core/release/open.js";
import type { Server } from "../../src/serve/serve.js";

export function releaseOf({ site }: Pick<Server, "site">): Release {
  const [listing] = site.listings;
  if (!listing) throw new Error("The server has no listing.");
  return listing.release;
}
