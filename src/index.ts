/** The library: the verbs and the reader of releases, as the command line uses them. */
export { UserError } from "./errors.js";
export { openRelease, type Release } from "./release/open.js";
export type { Snapshot } from "./release/snapshot.js";
