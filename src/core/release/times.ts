/**
 * Modification times. nginx, Apache and Caddy make ETags of a file's time and size. So for each path, what is served has
 * strictly increasing times: an ETag never stands for two contents, and never comes back with another one.
 */
import {
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  lutimesSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { hasCode, UserError } from "../errors.js";
import { CURRENT, NEWEST_TIME, SUMS } from "./layout.js";
import { closing, hashPlain, readPlain } from "./plain-files.js";
import { filesOf, type ListedFolder } from "./site.js";
import { trashOf } from "./switch.js";
import { AsideFile, asidePath, flushFolder, linkFile } from "./writer.js";

/** Minimum seconds from one release to the next, so that no variant of the next one has a time of the last one. */
const STEP = 3;

/** Seconds by which a file is older than its release, since a small page and its `.gz` can have one size. */
function lagOf(path: string): number {
  if (path.endsWith(".br")) return 2;
  return path.endsWith(".gz") ? 1 : 0;
}

/**
 * Gives a new time to each file of a release that the current release does not have with the same bytes and time. The release
 * must not be current. A hard link changes the file in other releases too, but never in the current one, whose inodes are
 * skipped. Those others get new times here before they become current. Needs the lock of `dist`.
 * @param folder of the release. @param parts its listings, and the files at the top of a site.
 * @throws UserError if the file system cannot store the time.
 */
export function giveTimes(dist: string, folder: string, parts: readonly ListedFolder[], now: Date): void {
  const time = reserveTime(dist, now);
  for (const part of parts)
    for (const [path, digest] of filesOf(part)) {
      const served = join(dist, CURRENT, path);
      if (!isServed(join(folder, path), served, digest)) setTime(dist, join(folder, path), time - lagOf(path));
    }
}

/** The build's time, or 3 s after the highest one of `dist`, in seconds. It is on disk before a file gets it. */
function reserveTime(dist: string, now: Date): number {
  const path = join(dist, NEWEST_TIME);
  const recorded = Number(readPlain(path) ?? 0);
  if (!Number.isSafeInteger(recorded))
    throw new UserError(`${path} is not a time that Rollcall wrote; remove it, then run this again.`);
  // The newest file of the current release, in case the record got lost.
  const served = lstatSync(join(dist, CURRENT, SUMS), { throwIfNoEntry: false });
  const highest = Math.max(recorded, served ? releaseTime(SUMS, served) : 0);
  const time = Math.max(Math.floor(now.getTime() / 1000), highest + STEP);
  const record = new AsideFile(path);
  try {
    record.write(`${time}\n`);
    lutimesSync(asidePath(path), time, time);
    if (lstatSync(asidePath(path)).mtimeMs !== time * 1000)
      throw new UserError(
        `The file system of ${dist} cannot store the time ${new Date(time * 1000).toISOString()}; set the clock, then run this again.`,
      );
    record.finish();
  } finally {
    record.discard();
  }
  flushFolder(dist);
  return time;
}

function isServed(file: string, served: string, digest: string): boolean {
  const own = lstatSync(file, { bigint: true });
  const other = lstatSync(served, { bigint: true, throwIfNoEntry: false });
  if (own.ino === other?.ino) return true;
  return own.mtimeNs === other?.mtimeNs && hashPlain(served) === digest;
}

function setTime(dist: string, file: string, time: number): void {
  try {
    lutimesSync(file, time, time);
  } catch (error) {
    // Only the owner may set a time.
    if (!hasCode(error, "EPERM")) throw error;
    const copy = trashOf(dist, "copy");
    rmSync(copy, { recursive: true, force: true });
    copyFlushed(file, copy, time);
    renameSync(copy, file);
  }
}

function copyFlushed(from: string, to: string, time: number): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  lutimesSync(to, time, time);
  closing(openSync(to, "r"), fsyncSync);
}

/** Links a file of the current release, or copies it with its time. @returns false if the file system cannot link it. */
export function carryFile(from: string, to: string): boolean {
  if (linkFile(from, to)) return true;
  copyFlushed(from, to, lstatSync(from).mtimeMs / 1000);
  return false;
}

/** The earliest whole second at which a release can have given a file its time. */
function releaseTime(path: string, { mtimeMs }: Pick<Stats, "mtimeMs">): number {
  return Math.ceil(mtimeMs / 1000) + lagOf(path);
}

/**
 * Times for the files that a run publishes to a folder. A file keeps its time from the release if that is later than all
 * that the folder had. Otherwise it gets the time of this run.
 */
export class PublishedTimes {
  /** The highest time that the folder has had, including those that `timeOf` gave. */
  highest: number;
  #newestInRelease = 0;

  /** @param newest the highest time that the folder recorded, in seconds. */
  constructor(private newest = 0) {
    this.highest = newest;
  }

  /** Takes a file of the folder into account, before the first `timeOf`. */
  seeOld(path: string, stats: Stats): void {
    this.newest = Math.max(this.newest, releaseTime(path, stats));
    this.highest = this.newest;
  }

  /** Takes a file of the release into account, before the first `timeOf`. */
  seeNew(path: string, stats: Stats): void {
    this.#newestInRelease = Math.max(this.#newestInRelease, releaseTime(path, stats));
  }

  /** The time of this run, later than any other. */
  get reserved(): number {
    return Math.max(this.newest, this.#newestInRelease) + STEP;
  }

  /** The time of a file that is put, in seconds. */
  timeOf(path: string, { mtimeMs }: Stats): number {
    const own = mtimeMs / 1000 + lagOf(path);
    const time = Number.isInteger(own) && own >= this.newest + STEP ? own : this.reserved;
    this.highest = Math.max(this.highest, time);
    return time - lagOf(path);
  }
}
