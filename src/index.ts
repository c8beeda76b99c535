/** The library: the verbs and the reader of releases, as the command line uses them. */
export { type BuildEffects, type BuildResult, build } from "./build/build.js";
export type { BuildOptions } from "./build/options.js";
export { InvalidUsersError, type ProblemReport } from "./build/problems.js";
export type { Page } from "./contract/page.js";
export type { Problem, User } from "./contract/user.js";
export { UserError } from "./errors.js";
export type { AccessEntry } from "./host/access.js";
export { createHost, type Host, type HostEffects, type HostOptions } from "./host/host.js";
export {
  type PublishEffects,
  type PublishOptions,
  type PublishResult,
  publish,
} from "./publish/publish.js";
export { listReleases, type ReleaseSummary } from "./release/list.js";
export { openRelease, type Release } from "./release/open.js";
export type { Snapshot } from "./release/snapshot.js";
export { type UseResult, useRelease } from "./release/use.js";
