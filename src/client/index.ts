/** The client library: reads and verifies published listings in Node, Deno, Bun, workers and browsers. */
export type { ContractFile } from "../core/contract/file/form.js";
export type { Page } from "../core/contract/page.js";
export type { Snapshot } from "../core/contract/snapshot.js";
export type { User } from "../core/contract/user.js";
export { ListingError, type ListingErrorCode, type Position, SnapshotChangedError } from "./errors.js";
export { openListing } from "./listing.js";
export { openSite } from "./open-site.js";
export type {
  CallOptions,
  ListedPage,
  ListingOptions,
  ListingView,
  ListingWalkOptions as WalkOptions,
  OpenListing as Listing,
  OpenSite as Site,
  OpenView as View,
  RecordOptions,
  SearchOptions,
  SiteListing,
  SiteOptions,
  SyncOptions,
  SyncResult,
  ViewValue,
  Walk,
} from "./options.js";
export { createMemoryStore, type MemoryStore } from "./sync/memory-store.js";
export type { Entry, Held, KeptRecord, Store, StoreTransaction } from "./sync/store.js";
