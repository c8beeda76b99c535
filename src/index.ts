/// <reference types="node" preserve="true" />
/** The library `rollcall`: the verbs and the reader of releases that the command line uses. */

export type { Contract } from "./contract/contract.js";
export type { ContractFile, RecordOf } from "./contract/file/form.js";
export type { Page } from "./contract/page.js";
export type { Snapshot } from "./contract/snapshot.js";
export type { User } from "./contract/users.js";
export { GateError, type Gates, type Limit } from "./diff/gates.js";
export { UserError } from "./errors.js";
export { type AdaptEffects, type Adapted, type AdaptOptions, adapt, listHosts } from "./hosts/adapt.js";
export { type InitOptions, type InitResult, initialize as init } from "./init/init.js";
export { type MirrorEffects, type MirrorOptions, type MirrorResult, mirror } from "./mirror/mirror.js";
export { type PublishEffects, type PublishOptions, type PublishResult, publish } from "./publish/publish.js";
export { listReleases, type ReleaseSummary } from "./release/list.js";
export { openRelease, type Release } from "./release/open.js";
export { type UseEffects, type UseResult, useRelease } from "./release/use.js";
export type { AccessEntry } from "./server/access-log.js";
export {
  type ListingServer as Server,
  type ListingServerEffects as ServerEffects,
  type ListingServerOptions as ServerOptions,
  openListingServer as createServer,
} from "./server/server.js";
export {
  type CompareEffects as DiffEffects,
  type CompareOptions as DiffOptions,
  type Comparison as DiffResult,
  compare as diff,
} from "./sides/compare.js";
export { build } from "./snapshot/build.js";
export type { BuildEffects, BuildOptions } from "./snapshot/options.js";
export { InvalidRecordsError, type Problem, type ProblemKind, type ProblemReport } from "./snapshot/problems.js";
export type { BuildResult } from "./snapshot/result.js";
export { buildShard, type ShardOptions, type ShardResult } from "./snapshot/shards/shard.js";
export type { VerifyEffects, VerifyOptions } from "./verify/options.js";
export type { Finding, Row as Check } from "./verify/verdict.js";
export { type VerifyResult, verify } from "./verify/verify.js";
