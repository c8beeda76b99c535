/** Opens the target that a user has named, locked against other runs from the same `dist`. */
import { usageError } from "../errors.js";
import { sha256 } from "../release/files.js";
import { PUBLISHED } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { makeFolder } from "../release/sharing.js";
import { hasScheme } from "../settings/kinds.js";
import { parseAddress } from "./bucket/address.js";
import { openBucket } from "./bucket/bucket.js";
import { openTargetFolder } from "./folder/folder.js";
import type { Target, TargetEffects, TargetOptions } from "./target.js";

export interface OpenedTarget {
  target: Target;
  /** Closes the target and lets the next run in. Called once, also after a failure. */
  close(): void;
}

/** @throws UserError when another run is at work on the target, or when it is neither a folder nor a bucket. */
export async function openTarget(options: TargetOptions, effects: TargetEffects): Promise<OpenedTarget> {
  const { target: name, dist, endpoint } = options;
  const { now = () => new Date() } = effects;
  const lock = (what: string) => {
    const folder = makeFolder(makeFolder(dist, PUBLISHED), sha256(what).slice(0, 16));
    return { folder, unlock: lockDist(folder, now(), name) };
  };
  if (!hasScheme(name)) {
    const target = await openTargetFolder(name, dist);
    return { target, close: lock(target.root).unlock };
  }
  if (!/^s3:/i.test(name))
    throw usageError(`Target ${JSON.stringify(name)} is neither a folder nor s3://BUCKET/PREFIX.`);
  const address = parseAddress(name);
  const { folder, unlock } = lock(`${endpoint ?? ""} ${address.name}`);
  try {
    const target = await openBucket(address, folder, options, effects);
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
