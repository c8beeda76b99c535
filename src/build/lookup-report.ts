/** What a build says of the lookup that it made. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { nameFields } from "../core/contract/lookup.js";
import { isSorted, LOOKUP_FOLDER } from "../core/release/layout.js";
import type { BuildSettings } from "./options.js";

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
