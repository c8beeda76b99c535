/** From what was typed to the target that it means, held so that no other run from this `dist` changes it meanwhile. */
import { join } from "node:path";
import { usageError } from "../errors.js";
import { sha256 } from "../release/files.js";
import { PUBLISHED } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { openFolder } from "./folder.js";
import type { Target } from "./target.js";

export interface Opened {
  target: Target;
  /** Lets go of it and lets the next run in; called once, also after a failure. */
  close(): void;
}

/** @throws UserError when another run is at work on the target, or when it is none of the kinds there are. */
export async function openTarget(name: string, dist: string, now: Date): Promise<Opened> {
  if (isAddress(name))
    throw usageError(`Target ${JSON.stringify(name)} is neither a folder nor s3://BUCKET/PREFIX.`);
  const target = await openFolder(name, dist);
  return { target, close: lockDist(join(dist, PUBLISHED, sha256(target.root).slice(0, 16)), now, name) };
}

/** Whether a target is no path: `s3://bucket` is, and so is anything else of that form. */
export function isAddress(name: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
}
