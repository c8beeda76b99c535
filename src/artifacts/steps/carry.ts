/** Hands steps on from one release to the next, as far as they are whole. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CHANGES, CHANGES_FOLDER } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { findDigest, readReleaseFileSync, sha256 } from "../../release/plain-files.js";
import { makeFolder } from "../../release/sharing.js";
import { linkFile, writeFlushedSync } from "../../release/writer.js";
import { type Changes, parseChanges } from "./steps.js";
import type { StepFile } from "./writer.js";

/** What a release's changes.json says; undefined where it is not there, or not intact. */
function findChanges({ folder, sums }: Pick<Release, "folder" | "sums">): Changes | undefined {
  const listed = sums.others.get(CHANGES);
  const text = listed === undefined ? undefined : readReleaseFileSync(join(folder, CHANGES));
  if (!text || sha256(text) !== listed) return undefined;
  const changes = parseChanges(String(text));
  return "why" in changes ? undefined : changes;
}

/** How much a release may hand on. */
export interface Room {
  steps: number;
  /** Of all files together. */
  bytes: number;
}

/**
 * The newest steps of a release for which there is room, up to the first that is not whole.
 * @param state of the release, to which they lead.
 * @param own a step that the next release has already. Where the same file would have to be another one, they end.
 */
export function findCarried(
  { folder, sums }: Pick<Release, "folder" | "sums">,
  state: string,
  room: Room,
  own?: StepFile,
): StepFile[] {
  const changes = findChanges({ folder, sums });
  if (changes?.state !== state) return [];
  const carried: StepFile[] = [];
  let left = room.bytes;
  for (const step of changes.steps.slice(0, room.steps)) {
    const digest = sums.others.get(step.file);
    left -= step.bytes;
    if (digest === undefined || left < 0) break;
    const isOther = step.file === own?.step.file && digest !== own.digest;
    if (isOther || !isWhole(join(folder, step.file), step.bytes, digest)) break;
    carried.push({ step, digest });
  }
  return carried;
}

function isWhole(path: string, bytes: number, digest: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.size === bytes && findDigest(path, Buffer.alloc(MEMORY)) === digest;
}

const MEMORY = 2 ** 16;

/** Puts steps of one release into the folder of another, as hard links where that is possible. */
export function carry(files: Iterable<string>, from: string, to: string): void {
  for (const file of files) {
    makeFolder(to, CHANGES_FOLDER);
    if (linkFile(join(from, file), join(to, file))) continue;
    writeFlushedSync(join(to, file), [readReleaseFileSync(join(from, file)) ?? new Uint8Array()]);
  }
}
