/** contract.json of a release, which may come from strangers: whatever is wrong with it is a finding. */
import { type Contract, USERS_CONTRACT } from "../../contract/contract.js";
import { MAX_CONTRACT } from "../../contract/file/form.js";
import { readContract } from "../../contract/file/read.js";
import { shorten } from "../../print/text.js";
import { CONTRACT, PagePaths } from "../../release/layout.js";
import type { Findings } from "../verdict.js";
import { readPlainFile } from "./files.js";
import type { Tree } from "./tree.js";

/** What the records of a release are. */
export interface OwnContract {
  /** Undefined where there is no valid one, so that records cannot be checked. */
  contract: Contract | undefined;
  /** Where its pages are. */
  paths: PagePaths;
}

export async function readOwnContract(folder: string, tree: Tree, findings: Findings): Promise<OwnContract> {
  const text = await readPlainFile(folder, tree, CONTRACT, MAX_CONTRACT);
  const read = text === undefined ? undefined : await readContract(text);
  if (read && !("mistakes" in read)) return { contract: read, paths: new PagePaths(read.listing.path) };
  const note = (found: string) =>
    findings.add({ check: "contract", path: CONTRACT, found: shorten(found, LONGEST_SHOWN), expected: "a contract" });
  if (!read) note("no file to read");
  for (const mistake of read?.mistakes ?? []) note(mistake);
  return { contract: undefined, paths: guessPaths(tree.keys()) };
}

/** Mistakes repeat what stands there. */
const LONGEST_SHOWN = 300;

/** Where the pages are that no contract tells of: below the first path that is one of a page 1. */
function guessPaths(paths: Iterable<string>): PagePaths {
  for (const path of paths) {
    const [, listing] = /^(.+\/)pages\/1\.json$/.exec(path) ?? [];
    if (listing !== undefined) return new PagePaths(`/${listing}`);
  }
  return new PagePaths(USERS_CONTRACT.listing.path);
}
