/** Compares a release with the limits of hosts, over the files of all its listings. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { number, size } from "../core/print/numbers.js";
import { SUMS } from "../core/release/layout.js";
import { filesOf, partsOf, pathInSite, type Site } from "../core/release/site.js";
import type { HostKind, SizeLimits } from "./kind.js";

/** The sizes of a release that hosts limit. */
export type Measures = Required<Omit<SizeLimits, "source">>;

/** A limit that a release exceeds. */
interface Excess {
  limit: keyof Measures;
  actual: number;
  allowed: number;
}

interface Measured {
  measures: Measures;
  /** The path of the largest deployed file. */
  largest: string;
}

/** Describes each host's limits that a release exceeds, one sentence a host. */
export async function notesOnSizes(hosts: readonly HostKind[], site: Site): Promise<string[]> {
  const limited = hosts.filter(({ sizeLimits }) => sizeLimits !== undefined);
  if (limited.length === 0) return [];
  const measured = await measure(site);
  return limited.flatMap((host) => {
    const excess = findExcess(measured.measures, host);
    return excess.length > 0 ? [describeExcess(host, excess, measured, site)] : [];
  });
}

/** Measures a release. */
export async function measure(site: Site): Promise<Measured> {
  const folders = new Map<string, number>();
  const measures: Measures = { files: 0, filesInFolder: 0, bytesInFile: 0, bytes: 0 };
  let largest = "";
  for (const path of deployedFiles(site)) {
    // Lets other work through between files.
    await setImmediate();
    const bytes = lstatSync(join(site.folder, path), { throwIfNoEntry: false })?.size ?? 0;
    const inFolder = (folders.get(dirname(path)) ?? 0) + 1;
    folders.set(dirname(path), inFolder);
    measures.files += 1;
    measures.bytes += bytes;
    measures.filesInFolder = Math.max(measures.filesInFolder, inFolder);
    if (bytes > measures.bytesInFile) {
      measures.bytesInFile = bytes;
      largest = path;
    }
  }
  return { measures, largest };
}

/** Lists the paths of the files that a host gets. */
export function* deployedFiles(site: Site): Generator<string> {
  // The top of a site lists them, too.
  const sums = new Set(site.listings.map(({ name }) => pathInSite(name, SUMS)));
  for (const part of partsOf(site))
    for (const [path] of filesOf(part)) if (part.sums !== site.top?.sums || !sums.has(path)) yield path;
}

/** Finds the limits that measures exceed. */
export function findExcess(measures: Measures, { sizeLimits }: HostKind): Excess[] {
  const names = Object.keys(measures) as (keyof Measures)[];
  return names.flatMap((limit) => {
    const actual = measures[limit];
    const allowed = sizeLimits?.[limit];
    return allowed !== undefined && actual > allowed ? [{ limit, actual, allowed }] : [];
  });
}

const DESCRIPTIONS: Record<keyof Measures, (value: string, largest: string) => string> = {
  files: (value) => `${value} files`,
  filesInFolder: (value) => `${value} files in one folder`,
  bytesInFile: (value, largest) => `a file of ${value}, ${largest}`,
  bytes: (value) => `${value} in all`,
};

function describeExcess(
  { title, sizeLimits }: HostKind,
  excess: readonly Excess[],
  { largest }: Measured,
  { id, listings }: Site,
): string {
  const parts = excess.map(({ limit, actual, allowed }) => {
    const show = limit.startsWith("bytes") ? size : number;
    return `${DESCRIPTIONS[limit](show(actual), largest)}, and ${title} allows ${show(allowed)}`;
  });
  const sizes = [...new Set(listings.map(({ release }) => release.snapshot.page_size))].join(" and ");
  return `release ${id} has ${parts.join("; ")} (${sizeLimits?.source}); try another --page-size (now ${sizes}), fewer --changes, no --lookup, no --compress, or another host ("rollcall host" lists them)`;
}
