/** Proves lookup/* and what the page for people works by: they are what the records of the pages make, byte for byte. */
import { readSync } from "node:fs";
import { join } from "node:path";
import { closing, openPlain } from "../../release/files.js";
import { isSorted } from "../../release/layout.js";
import { checkExplorer, MAX_EXPLORER } from "../lookup/explorer.js";
import type { Remaker, WantedFiles } from "../lookup/gather.js";
import { type HeldFiles, MadeFiles, mostOf, type NoteMade } from "../lookup/made.js";
import { checkOf, HEADS, LOOKUP_CHECKS, type LookupCheck, missingParts, UNUSABLE } from "../lookup/needs.js";
import type { VerifyEffects } from "../options.js";
import type { Findings } from "../verdict.js";
import { readPlainBytes } from "./files.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** The files of a check, and all that stands where they do. */
export function filesOf(check: string, { others }: Pick<Manifest, "others">, tree: Tree): string[] {
  const files: string[] = [];
  for (const path of others.keys()) if (!tree.has(path) && checkOf(path) === check) files.push(path);
  for (const path of tree.keys()) if (checkOf(path) === check) files.push(path);
  return files;
}

/** Why there is nothing to prove of a check; undefined where there is. */
export type WhyUnproved = ReadonlyMap<string, string>;

export function findUnproved(tree: Tree, manifest: Manifest): WhyUnproved {
  const missing = LOOKUP_CHECKS.filter((check) => filesOf(check, manifest, tree).length === 0);
  return new Map(missing.map((check) => [check, `it has no ${HEADS[check]}`]));
}

/** What to make again of the pages; undefined where there is nothing to prove, or they cannot be used. */
export function wantedOf({ snapshot, contract }: Manifest, unproved: WhyUnproved): WantedFiles | undefined {
  const checks = LOOKUP_CHECKS.filter((check) => !unproved.has(check));
  if (!snapshot || !contract || checks.length === 0) return undefined;
  const { count, pages, page_size: pageSize, base_url: baseUrl, links } = snapshot;
  const collection = { count, pages, pageSize, baseUrl, path: contract.listing.path, links };
  return { checks, contract: contract.file, collection };
}

interface LookupContext {
  folder: string;
  tree: Tree;
  manifest: Manifest;
  unproved: WhyUnproved;
  /** With what all pages have given; undefined where some have not. */
  remaker: Remaker | undefined;
  signal: AbortSignal | undefined;
  onProgress: VerifyEffects["onProgress"];
}

/** @returns why nothing was proved, of which check. */
export async function checkLookup(
  { folder, tree, manifest, unproved, remaker, signal, onProgress }: LookupContext,
  findings: Findings,
): Promise<WhyUnproved> {
  const checks = LOOKUP_CHECKS.filter((check) => !unproved.has(check));
  const note: NoteMade = (check, path, difference) => findings.add({ check, path, ...difference });
  const read = (path: string) => readPlainBytes(folder, tree, path, MAX_EXPLORER);
  for (const [path, difference] of missingParts((path) => tree.has(path))) note("explorer", path, difference);
  if (!remaker) return new Map([...checks.map((check) => [check, UNUSABLE] as const), ...unproved]);
  const made = new MadeFiles(new HeldOnDisk(folder, tree), checks, note);
  const total = [...tree.keys()].filter((path) => isMade(path, checks)).length;
  let files = 0;
  onProgress?.({ files, total });
  const take = async (path: string, bytes: Buffer) => {
    await made.take(path, bytes);
    onProgress?.({ files: ++files, total: Math.max(files, total) });
  };
  const summary = await remaker.finish(take, signal);
  made.finish();
  const { contract, snapshot } = manifest;
  const paths = () => tree.keys();
  if (summary && contract && snapshot) await checkExplorer({ contract, snapshot, summary, paths, read, note });
  return unproved;
}

/** Whether a file is one of those that are made again. */
function isMade(path: string, checks: readonly LookupCheck[]): boolean {
  const check = checkOf(path);
  return check !== undefined && checks.includes(check) && (isSorted(path) || path === HEADS[check]);
}

class HeldOnDisk implements HeldFiles {
  constructor(
    private readonly folder: string,
    private readonly tree: Tree,
  ) {}

  has(path: string): boolean {
    return this.tree.has(path);
  }

  paths(): Iterable<string> {
    return this.tree.keys();
  }

  async read(path: string, made: Buffer): Promise<Buffer | undefined> {
    const file = this.tree.get(path) === "file" ? openPlain(join(this.folder, path)) : undefined;
    if (file === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(mostOf(made));
    return closing(file, () => {
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, length);
      return bytes.subarray(0, length);
    });
  }
}
