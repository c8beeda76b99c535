/** The result of a build. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ChangesReport } from "../artifacts/changes.js";
import { nameFields } from "../contract/lookup.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import { isSorted, LOOKUP_FOLDER } from "../release/layout.js";
import type { BuildSettings } from "./options.js";
import type { LargestPage } from "./page-writer.js";
import type { ProblemReport } from "./problems.js";
import type { Published } from "./publish.js";

export interface BuildResult extends Published {
  /** The path of the release, which is current now. */
  folder: string;
  records: number;
  pages: number;
  /** Bytes of all page files. */
  bytes: number;
  largestPage: LargestPage;
  /** Page files that were linked from the previous release instead of written. */
  linked: number;
  /** Invalid records that were left out. */
  skipped: number;
  warnings: WarningCounts;
  problems: ProblemReport;
  /** The id of the key that signed the release, as minisign shows it; undefined if it is not signed. */
  signedWith: string | undefined;
  /** The steps for readers who keep a copy; undefined if `changes` is 0. */
  changes: ChangesReport | undefined;
  /** The lookup that was made; undefined without `lookup`. */
  lookup: LookupReport | undefined;
  /** The URL of the explorer; undefined without `explorer`. */
  explorer: string | undefined;
  /** Sentences for the user: what the hosts of `adapt` cannot use or hold. */
  notes: string[];
}

export interface LookupReport {
  /** The paths of the fields that records are found by: the key, and the fields whose words are indexed. */
  by: readonly string[];
  /** The number of sorted files, and the bytes of all files of the lookup. */
  files: number;
  bytes: number;
}

/** Describes the lookup of a release. @param files its files that are not pages. @returns undefined without a lookup */
export function reportLookup(
  { contract, lookup }: Pick<BuildSettings, "contract" | "lookup">,
  folder: string,
  files: ReadonlyMap<string, unknown>,
): LookupReport | undefined {
  if (!lookup) return undefined;
  const own = [...files.keys()].filter((path) => path.startsWith(`${LOOKUP_FOLDER}/`));
  const bytes = own.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  const by = [contract.key.path, ...nameFields(contract).map(({ path }) => path)];
  return { by, files: own.filter(isSorted).length, bytes };
}
