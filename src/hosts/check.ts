/** Measures a release against the limits of a host, and finds what keeps a host on this machine from reading it. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isForAdapters, isSorted, isStep, unlistedFiles } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { findUnreadable } from "../release/sharing.js";
import { listFiles } from "../release/sums.js";
import type { Host, HostLimits } from "./rules/host.js";

/** A release in the numbers that hosts limit. */
export type Measures = Required<Omit<HostLimits, "source">>;

/** A limit that a release exceeds. */
export interface Excess {
  limit: keyof Measures;
  actual: number;
  allowed: number;
}

export interface Measured {
  measures: Measures;
  /** The path of the largest file, of pages, parts and all else that is deployed. */
  largest: string;
  /** How many steps it has. */
  stepFiles: number;
  /** How many files of a look-up. */
  sortedFiles: number;
}

export async function measure(release: Release): Promise<Measured> {
  const folders = new Map<string, number>();
  const measures: Measures = { files: 0, filesInFolder: 0, bytesInFile: 0, bytes: 0, upload: 0 };
  let [largest, stepFiles, sortedFiles] = ["", 0, 0];
  for (const path of pathsOf(release)) {
    const { size } = await stat(join(release.folder, path));
    const inFolder = (folders.get(dirname(path)) ?? 0) + 1;
    folders.set(dirname(path), inFolder);
    measures.files += 1;
    measures.upload += 1;
    measures.bytes += size;
    if (isStep(path)) stepFiles += 1;
    if (isSorted(path)) sortedFiles += 1;
    if (size > measures.bytesInFile) [measures.bytesInFile, largest] = [size, path];
    measures.filesInFolder = Math.max(measures.filesInFolder, inFolder);
  }
  return { measures, largest, stepFiles, sortedFiles };
}

export function findExcess(measures: Measures, { limits }: Host): Excess[] {
  const names = Object.keys(measures) as (keyof Measures)[];
  return names.flatMap((limit) => {
    const [actual, allowed] = [measures[limit], limits?.[limit]];
    return allowed !== undefined && actual > allowed ? [{ limit, actual, allowed }] : [];
  });
}

/** A web server reads the release as a user of its own; other hosts are sent a copy. */
export function findBarriers({ site }: Host, release: Release): string[] {
  const barrier = site && findUnreadable(release.folder, pathsOf(release));
  return barrier === undefined ? [] : [barrier];
}

function* pathsOf(release: Release): Generator<string> {
  for (const [path] of listFiles(release.sums)) if (!isForAdapters(path)) yield path;
  yield* unlistedFiles(release);
}
