/** What a build says of what it did. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ChangesReport } from "../artifacts/changes.js";
import { nameFields } from "../contract/lookup.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import { isSorted, LOOKUP_FOLDER } from "../release/layout.js";
import type { BuildSettings } from "./options.js";
import type { ProblemReport } from "./problems.js";
import type { Published } from "./publish.js";

export interface BuildResult extends Published {
  /** The path of the release that is current now. */
  folder: string;
  records: number;
  pages: number;
  /** Bytes of all page files. */
  bytes: number;
  /** Page files that were linked from the last release instead of written. */
  linked: number;
  /** Invalid records that were left out. */
  skipped: number;
  warnings: WarningCounts;
  problems: ProblemReport;
  /** The id of the key that the release was signed with, as minisign shows it; undefined where it is not signed. */
  signedWith: string | undefined;
  /** What was done for readers who keep a copy; undefined where `changes` is 0. */
  changes: ChangesReport | undefined;
  /** What was made by which readers find records; undefined without `lookup`. */
  lookup: LookupReport | undefined;
  /** Where the page for people is; undefined without `explorer`. */
  explorer: string | undefined;
  /** Threads that read, checked and wrote the pages; 0 when the building thread did. */
  workers: number;
  timings: Timings;
}

/** Milliseconds that each stage took. */
export interface Timings {
  /** Finding the source and its columns. */
  open: number;
  /** Reading, checking and writing all pages, and what is made of all records. */
  write: number;
  /** Sorting what records are found by, and writing it; undefined without `lookup`. */
  lookup: number | undefined;
  /** Steps for readers who keep a copy, flushing, the switch, and removing old releases. */
  publish: number;
  /** The time of all threads together, by what they did. */
  threads: Spent;
}

/** Milliseconds spent on each part of making pages, in all threads together. */
export interface Spent {
  /** SQLite: reading rows and writing their text. */
  read: number;
  /** Checking the text, or the records, against the contract. */
  check: number;
  digest: number;
  write: number;
  /** Collecting what artifacts need. */
  collect: number;
}

export interface LookupReport {
  /** The paths of the fields that records are found by: the key, and those whose words are looked up. */
  by: readonly string[];
  /** Sorted files, and the bytes of them and of what says where each begins. */
  files: number;
  bytes: number;
}

/** Where a page for people is, with the slash by which its links are found. */
export function explorerAddress({ explorer, baseUrl }: Pick<BuildSettings, "explorer" | "baseUrl">) {
  return explorer ? `${baseUrl}/` : undefined;
}

/** @param release with the files that it lists besides its pages. @returns undefined where it has no lookup. */
export function reportLookup(
  { contract, lookup }: Pick<BuildSettings, "contract" | "lookup">,
  release: { folder: string; files: Iterable<readonly [path: string, digest: string]> },
): LookupReport | undefined {
  if (!lookup) return undefined;
  const own = [...release.files].map(([path]) => path).filter((path) => path.startsWith(`${LOOKUP_FOLDER}/`));
  const bytes = own.reduce((sum, path) => sum + statSync(join(release.folder, path)).size, 0);
  const by = [contract.key.path, ...nameFields(contract).map(({ path }) => path)];
  return { by, files: own.filter(isSorted).length, bytes };
}
