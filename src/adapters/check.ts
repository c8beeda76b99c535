/** Measures a release against what a host takes. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pagePath, SUMS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { Adapter, AdapterLimits } from "./rules/adapter.js";

/** What a release has, as hosts count it; the names are those of the limits. */
export type Measures = Required<Omit<AdapterLimits, "source">>;

export interface Excess {
  limit: keyof Measures;
  has: number;
  may: number;
}

export async function measure(release: Release): Promise<Measures> {
  const folders = new Map<string, number>();
  const measures: Measures = { files: 0, filesInFolder: 0, bytesInFile: 0, bytes: 0, upload: 0 };
  for (const path of pathsOf(release)) {
    const { size } = await stat(join(release.folder, path));
    const inFolder = (folders.get(dirname(path)) ?? 0) + 1;
    folders.set(dirname(path), inFolder);
    measures.files += 1;
    measures.upload += 1;
    measures.bytes += size;
    measures.bytesInFile = Math.max(measures.bytesInFile, size);
    measures.filesInFolder = Math.max(measures.filesInFolder, inFolder);
  }
  return measures;
}

/** The limits of a host that a release goes beyond. */
export function findExcess(measures: Measures, { limits }: Adapter): Excess[] {
  const names = Object.keys(measures) as (keyof Measures)[];
  return names.flatMap((limit) => {
    const may = limits[limit];
    return may !== undefined && measures[limit] > may ? [{ limit, has: measures[limit], may }] : [];
  });
}

function* pathsOf({ sums }: Release): Generator<string> {
  for (let page = 1; page <= sums.pages.pages; page++) {
    for (const variant of sums.pages.variants) yield pagePath(page, variant);
  }
  yield* sums.others.keys();
  yield SUMS;
}
