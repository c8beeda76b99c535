/** Opens the target that a user has named: a folder, locked against other runs, or a bucket, against those from the same `dist`. */
import { join } from "node:path";
import { usageError } from "../errors.js";
import { sha256 } from "../release/files.js";
import { PUBLISHED } from "../release/layout.js";
import { lockDist, lockTarget } from "../release/lock.js";
import { makeFolder } from "../release/sharing.js";
import type { Snapshot } from "../release/snapshot.js";
import { hasScheme } from "../settings/kinds.js";
import { parseAddress } from "./bucket/address.js";
import { openBucket } from "./bucket/bucket.js";
import { FolderTarget, openTargetFolder } from "./folder/folder.js";
import { explainPut, requireSameBase, type Target, type TargetEffects, type TargetOptions } from "./target.js";

/**
 * The target, and what closes it and lets the next run in, to be called once.
 * @throws UserError when another run is at work on the target, or when it is neither a folder nor a bucket.
 */
export async function openTarget(
  options: TargetOptions,
  release: Snapshot,
  effects: TargetEffects,
): Promise<{ target: Target; close(): void }> {
  const { target: name, dist, endpoint, force, shard, dryRun } = options;
  const { now = () => new Date() } = effects;
  if (hasScheme(name) && !/^s3:/i.test(name))
    throw usageError(`Target ${JSON.stringify(name)} is neither a folder nor s3://BUCKET/PREFIX.`);
  const place = hasScheme(name) ? parseAddress(name) : await openTargetFolder(name, dist);
  if (place instanceof FolderTarget && shard !== undefined)
    throw usageError(`--shard puts pages into a bucket, s3://BUCKET/PREFIX; publish to the folder ${name} without it.`);
  if (place instanceof FolderTarget) {
    const close = dryRun ? () => {} : lockFolder(place, now());
    try {
      if (!force) requireSameBase(name, place.readSnapshot(), release);
      return { target: place, close };
    } catch (error) {
      close();
      throw error;
    }
  }
  const called = sha256(`${endpoint ?? ""} ${place.name}`).slice(0, 16);
  // Shards may be at work from one `dist` together, and leave nothing in it.
  const own = shard === undefined ? makeFolder(makeFolder(dist, PUBLISHED), called) : join(dist, PUBLISHED, called);
  const unlock = shard === undefined ? lockDist(own, now(), name) : () => {};
  try {
    const target = await openBucket(place, own, release, options, effects);
    const close = () => {
      target.close();
      unlock();
    };
    return { target, close };
  } catch (error) {
    unlock();
    throw error;
  }
}

function lockFolder({ name, root }: FolderTarget, now: Date): () => void {
  try {
    return lockTarget(root, now, name);
  } catch (error) {
    throw explainPut(name, error);
  }
}
