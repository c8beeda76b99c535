/** From what was typed to the target that it means, held so that no other run from this `dist` changes it meanwhile. */
import { usageError } from "../errors.js";
import { sha256 } from "../release/files.js";
import { PUBLISHED } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { makeFolder } from "../release/sharing.js";
import { parseAddress } from "./bucket/address.js";
import { openBucket } from "./bucket/open.js";
import { openTargetFolder } from "./folder/folder.js";
import type { PublishEffects, PublishOptions } from "./publish.js";
import type { Target } from "./target.js";

export interface Opened {
  target: Target;
  /** Lets go of it and lets the next run in; called once, also after a failure. */
  close(): void;
}

/** @throws UserError when another run is at work on the target, or when it is none of the kinds there are. */
export async function openTarget(options: PublishOptions, effects: PublishEffects): Promise<Opened> {
  const { target: name, dist, endpoint, cacheControl, force = false, expect, dryRun = false } = options;
  const { now = () => new Date(), onWait = () => {}, signal } = effects;
  const lock = (what: string) => {
    const folder = makeFolder(makeFolder(dist, PUBLISHED), sha256(what).slice(0, 16));
    return { folder, unlock: lockDist(folder, now(), name) };
  };
  if (!isAddress(name)) {
    const target = await openTargetFolder(name, dist);
    return { target, close: lock(target.root).unlock };
  }
  if (!/^s3:/i.test(name))
    throw usageError(`Target ${JSON.stringify(name)} is neither a folder nor s3://BUCKET/PREFIX.`);
  const { folder, unlock } = lock(`${endpoint ?? ""} ${parseAddress(name).name}`);
  try {
    const bucket = await openBucket(name, {
      dist,
      folder,
      endpoint,
      cacheControl,
      force,
      expect,
      dryRun,
      onWait,
      signal,
    });
    return {
      target: bucket,
      close() {
        bucket.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Whether a target is no path: `s3://bucket` is, and so is anything else of that form. */
export function isAddress(name: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
}
