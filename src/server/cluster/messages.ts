/** What the first process and those that serve for it say to each other. */
import type { AccessEntry } from "../access-log.js";
import type { Address } from "../listen.js";
import type { ListingServerOptions, ServedRelease } from "../server.js";

/** In the worker's first argument, as JSON. */
export interface ClusterOrders {
  options: ListingServerOptions;
  address: Address;
  /** Whether somebody reads the access log. */
  hasAccess: boolean;
}

export type ToWorker = "reload" | "close";

export type FromWorker =
  | { kind: "ready" }
  /** Cannot serve, for a reason that its user can do something about. */
  | { kind: "refused"; message: string }
  | { kind: "log"; line: string }
  | { kind: "access"; entries: AccessEntry[] }
  | { kind: "switched"; release: ServedRelease };

/** What can be told of a release from process to process. */
export function toServed({ folder, snapshot }: ServedRelease): ServedRelease {
  return { folder, snapshot };
}
