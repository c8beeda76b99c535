/** Whether a release's files are those that it lists, and those that are no pages have the bytes that it says. */
import { join } from "node:path";
import { findDigest } from "../../release/files.js";
import { findPage, pagePath, SNAPSHOT, SUMS } from "../../release/layout.js";
import type { Findings } from "../findings.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** Finds files that should be there and are not, files that nobody lists, and what is no plain file. */
export function checkFiles(tree: Tree, account: Manifest, findings: Findings): void {
  const { digests, others, pages, variants } = account;
  const note = (path: string, found: string, expected: string) => {
    const page = findPage(path)?.page;
    findings.add({ check: "files", path, ...(page !== undefined && { page }), found, expected });
  };
  const expect = (path: string) => {
    if (!tree.has(path)) note(path, "no such file", "a file");
  };
  for (const path of new Set([SUMS, SNAPSHOT, ...others.keys()])) expect(path);
  for (let page = 1; page <= pages; page++) for (const variant of variants) expect(pagePath(page, variant));

  const isListed = (path: string) => {
    const { page = 0, variant = "identity" } = findPage(path) ?? {};
    const isPage = page >= 1 && page <= pages && variants.includes(variant);
    return isPage || others.has(path) || path === SUMS || path === SNAPSHOT;
  };
  for (const [path, kind] of tree) {
    if (kind !== "file") note(path, kind, "a plain file");
    else if (digests && !isListed(path)) note(path, "a file", `none, since ${SUMS} does not list it`);
  }
}

/** Reads all files that are no pages and finds those whose bytes are not those of their digests. */
export async function checkOtherDigests(
  folder: string,
  tree: Tree,
  { others }: Manifest,
  findings: Findings,
): Promise<void> {
  const memory = Buffer.allocUnsafe(2 ** 18);
  for (const [path, expected] of others) {
    if (tree.get(path) !== "file") continue;
    const found = (await findDigest(join(folder, path), memory)) ?? "no file to read";
    if (found !== expected) findings.add({ check: "digests", path, found, expected });
  }
}
