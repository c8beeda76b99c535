/** The files in a release's folder: whether they are those that it lists, and the bytes of those that are no pages. */
import { join } from "node:path";
import { AVATAR_PATH } from "../../contract/links.js";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { findDigest, readReleaseFile } from "../../release/files.js";
import {
  AVATAR,
  isForAdapters,
  OWNED,
  type PagePaths,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  type Variant,
} from "../../release/layout.js";
import type { PageDigests } from "../../release/sums.js";
import { UNVERIFIED } from "../lookup/differences.js";
import type { Findings } from "../verdict.js";
import type { Tree } from "./tree.js";

/** The files that a release should have. */
export interface ListedFiles {
  paths: PagePaths;
  pages: number;
  variants: readonly Variant[];
  /** The digests of pages, unset where SHA256SUMS has none; undefined when it cannot be read. */
  digests: PageDigests | undefined;
  /** Whether SHA256SUMS has a digest of every plain page. */
  isComplete: boolean;
  /** The digests of all other files, by path. */
  others: ReadonlyMap<string, string>;
}

/** The text of a plain file; undefined when there is none, or it is longer than it may be. */
export async function readPlainFile(
  folder: string,
  tree: Tree,
  name: string,
  most?: number,
): Promise<string | undefined> {
  return (await readPlainBytes(folder, tree, name, most))?.toString("utf8");
}

/** The bytes of a plain file, as `readPlainFile` gives its text. */
export async function readPlainBytes(folder: string, tree: Tree, name: string, most?: number) {
  if (tree.get(name) !== "file") return undefined;
  try {
    return await readReleaseFile(join(folder, name), most);
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return undefined;
    throw new UserError(`${join(folder, name)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/** Finds files that are missing, files that are not listed, and what is no plain file. */
export function checkFiles(tree: Tree, listed: ListedFiles, findings: Findings): void {
  const { paths, digests, others, pages, variants } = listed;
  const note = (path: string, found: string, expected: string) => {
    const page = paths.find(path)?.page;
    findings.add({ check: "files", path, ...(page !== undefined && { page }), found, expected });
  };
  const expect = (path: string) => {
    if (!tree.has(path)) note(path, "no such file", "a file");
  };
  // A published copy has no files for other hosts.
  for (const path of new Set([SUMS, SNAPSHOT, ...others.keys()])) if (!isForAdapters(path)) expect(path);
  for (let page = 1; page <= pages; page++) for (const variant of variants) expect(paths.path(page, variant));

  const isListed = (path: string) => {
    const { page = 0, variant = "identity" } = paths.find(path) ?? {};
    const isPage = page >= 1 && page <= pages && variants.includes(variant);
    return isPage || others.has(path) || [SUMS, SIGNATURE, SNAPSHOT, OWNED].includes(path);
  };
  for (const [path, kind] of tree) {
    if (kind !== "file") note(path, kind, "a plain file");
    else if (digests && !isListed(path)) note(path, "a file", `none, since ${SUMS} does not list it`);
  }
}

/** Compares the image for users who have none with the one that Rollcall writes. */
export async function checkAvatar(folder: string, tree: Tree, findings: Findings): Promise<void> {
  if (!tree.has(AVATAR_PATH)) return;
  const found = await readPlainFile(folder, tree, AVATAR_PATH, 2 ** 16);
  if (found !== AVATAR)
    findings.add({ check: "avatar", path: AVATAR_PATH, found: "another image", expected: UNVERIFIED });
}

/** Reads all files that are no pages. */
export async function checkOtherDigests(folder: string, tree: Tree, { others }: ListedFiles, findings: Findings) {
  const memory = Buffer.allocUnsafe(2 ** 18);
  for (const [path, expected] of others) {
    if (tree.get(path) !== "file") continue;
    const found = (await findDigest(join(folder, path), memory)) ?? "no file to read";
    if (found !== expected) findings.add({ check: "digests", path, found, expected });
  }
}
