/// <reference types="node" preserve="true" />
/** The library `rollcall`: the verbs and the reader of releases that the command line uses. */
import * as builds from "./build/build.js";
import type { BuildEffects, BuildOptions } from "./build/options.js";
import type { BuildResult } from "./build/result.js";
import * as shards from "./build/shards/shard.js";
import type { AnyRecord } from "./core/contract/contract.js";
import * as kind from "./core/settings/kinds.js";
import { library } from "./core/settings/options.js";
import { SETTINGS } from "./core/settings/table.js";
import * as diffs from "./diff/diff.js";
import * as hosts from "./host/host.js";
import * as starter from "./init/init.js";
import * as mirrors from "./mirror/mirror.js";
import * as targets from "./publish/publish.js";
import type { PublishOptions } from "./publish/target.js";
import * as servers from "./serve/serve.js";
import type { VerifyEffects, VerifyOptions } from "./verify/options.js";
import * as verification from "./verify/verify.js";

export type { BuildEffects, BuildOptions } from "./build/options.js";
export { InvalidRecordsError, type Problem, type ProblemKind, type ProblemReport } from "./build/problems.js";
export type { BuildResult } from "./build/result.js";
export type { ShardOptions, ShardResult } from "./build/shards/shard.js";
export { GateError } from "./core/compare/gates.js";
export type { Contract } from "./core/contract/contract.js";
export type { ContractFile, RecordOf } from "./core/contract/file/form.js";
export type { Page } from "./core/contract/page.js";
export type { Snapshot } from "./core/contract/snapshot.js";
export type { User } from "./core/contract/user.js";
export { UserError } from "./core/errors.js";
export { openRelease, type Release } from "./core/release/open.js";
export { listReleases, type ReleaseSummary } from "./core/release/releases.js";
export { type UseEffects, type UseResult, useRelease } from "./core/release/use.js";
export type { DiffEffects, DiffOptions, DiffResult } from "./diff/diff.js";
export { type AdaptEffects, type Adapted, type AdaptOptions, listHosts } from "./host/host.js";
export type { InitEffects, InitOptions, InitResult } from "./init/init.js";
export type { MirrorEffects, MirroredTable, MirrorOptions, MirrorResult } from "./mirror/mirror.js";
export type { PublishEffects, PublishResult } from "./publish/publish.js";
export type { PublishOptions } from "./publish/target.js";
export type { AccessEntry } from "./serve/access-log.js";
export type { Server, ServerEffects, ServerOptions } from "./serve/serve.js";
export type { VerifyEffects, VerifyOptions } from "./verify/options.js";
export type { Finding, Row as Check } from "./verify/verdict.js";
export type { VerifyResult } from "./verify/verify.js";

const text = (allowed: string) => kind.text("", allowed);
const { shard, parts } = SETTINGS;

/** Makes a release, and makes it current. A build that fails leaves the current release unchanged. */
export const build = library<BuildOptions, BuildEffects, BuildResult>("build", "build", builds.build, {
  required: ["db", "baseUrl"],
});

/** Makes one shard's part of a release. */
export const buildShard = library<shards.ShardOptions, BuildEffects, shards.ShardResult>(
  "buildShard",
  "build",
  shards.buildShard,
  { own: { shard, parts }, required: ["db", "baseUrl", "shard", "parts"] },
);

/**
 * Compares two snapshots, record by record.
 * @typeParam T the type of a record, which the caller knows from the contracts.
 */
export const diff = library<diffs.DiffOptions, diffs.DiffEffects, diffs.DiffResult>("diff", "diff", diffs.diff, {
  own: { old: text("the name of a snapshot"), new: text("the name of a snapshot") },
}) as <T = AnyRecord>(options: diffs.DiffOptions, effects?: diffs.DiffEffects) => Promise<diffs.DiffResult<T>>;

/** Verifies a release on disk, or what a host serves. Differences are findings, not errors. */
export const verify = library<VerifyOptions, VerifyEffects, verification.VerifyResult>(
  "verify",
  "verify",
  verification.verify,
  { own: { what: text("the name of a release or the URL of a host") } },
);

/** Opens a server that does not listen yet. */
export const createServer = library<servers.ServerOptions, servers.ServerEffects, servers.Server>(
  "createServer",
  "serve",
  servers.createListingServer,
);

/** Writes what a host needs to serve a listing. */
export const adapt = library<hosts.AdaptOptions, hosts.AdaptEffects, hosts.Adapted>("adapt", "host", hosts.adapt, {
  own: { name: text("the name of a host") },
  required: ["name"],
});

/** Makes a folder or a bucket equal to a release. If a run ends early, the next one completes it. */
export const publish = library<PublishOptions, targets.PublishEffects, targets.PublishResult>(
  "publish",
  "publish",
  targets.publish,
  { own: { target: text("a folder or s3://BUCKET/PREFIX") }, required: ["target"] },
);

/** Updates a mirror of a published listing, or creates it. */
export const mirror = library<mirrors.MirrorOptions, mirrors.MirrorEffects, mirrors.MirrorResult>(
  "mirror",
  "mirror",
  mirrors.mirror,
  {
    own: { url: text("the base URL of a listing"), file: kind.path("<file>") },
    required: ["url", "file"],
  },
);

/** Writes a starter config, with sample users or with a contract for a table. Never overwrites files. */
export const init = library<starter.InitOptions, starter.InitEffects, starter.InitResult>(
  "init",
  "init",
  starter.initialize,
  { own: { folder: kind.path("<folder>") }, required: ["folder"] },
);
