/** Checks that a release has all files of SHA256SUMS with their digests, and no others. */
import { basename, join } from "node:path";
import { codeOf, UserError } from "../../errors.js";
import { CONTRACT, OWNED, RELEASE_NAME, SIGNATURE, SNAPSHOT, SUMS } from "../../release/layout.js";
import { parseFolderName } from "../../release/name.js";
import type { Release } from "../../release/open.js";
import { entriesOf } from "../../release/page-names.js";
import { hashPlain } from "../../release/plain-files.js";
import type { Findings } from "../verdict.js";
import { readPage } from "./page-check.js";

/** Files that SHA256SUMS does not list. */
const UNLISTED: readonly string[] = [SUMS, SIGNATURE, OWNED, RELEASE_NAME];

/**
 * Finds unlisted files, listed files that do not exist, anything that is not a regular file, and a name that is not the
 * folder's. `inspect` finds missing pages.
 * @param isCopy whether files may be missing, since hosts do not serve them
 * @returns the number of files
 */
export async function checkFiles({ folder, sums }: Release, isCopy: boolean, findings: Findings): Promise<number> {
  const { paths, pages, others } = sums;
  const wrong: { path: string; page?: number; found: string; expected: string }[] = [];
  const met = new Set<string>();
  let files = 0;
  for await (const { path, isFile } of filesBelow(folder)) {
    if (isFile) files++;
    const { page, variant } = paths.find(path) ?? {};
    if (page !== undefined && variant !== undefined && pages.includes(page, variant)) continue;
    if (others.has(path)) met.add(path);
    if (!isFile) wrong.push({ path, found: "a link or a special file", expected: "a plain file" });
    else if (!others.has(path) && !UNLISTED.includes(path)) {
      const expected = `none, since ${SUMS} does not list it`;
      wrong.push({ path, found: "a file", expected, ...(page !== undefined && { page }) });
    }
  }
  for (const path of others.keys())
    if (!met.has(path) && !isCopy) wrong.push({ path, found: "no such file", expected: "a file" });
  const name = basename(folder);
  const written = String(readPage(join(folder, RELEASE_NAME)) ?? "");
  if (parseFolderName(name) && written !== `${name}\n`)
    wrong.push({
      path: RELEASE_NAME,
      found: JSON.stringify(written.slice(0, 100)),
      expected: `the folder's name, ${name}`,
    });
  // Sorted, since the order of entries depends on the file system.
  for (const one of wrong.sort((a, b) => (a.path < b.path ? -1 : 1))) findings.add({ check: "files", ...one });
  return files;
}

/** Everything in a folder but its folders. Does not follow links. @throws UserError if a folder cannot be read */
async function* filesBelow(folder: string): AsyncGenerator<{ path: string; isFile: boolean }> {
  const open = [""];
  for (let inside = open.pop(); inside !== undefined; inside = open.pop()) {
    try {
      for await (const some of entriesOf(join(folder, inside)))
        for (const entry of some) {
          const path = inside + entry.name;
          if (entry.isDirectory()) open.push(`${path}/`);
          else yield { path, isFile: entry.isFile() };
        }
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause;
      throw new UserError(`${join(folder, inside)} cannot be read (${codeOf(cause)}).`, { cause });
    }
  }
}

/** The SHA-256 of files that are not pages, by path. */
export type FileDigests = ReadonlyMap<string, string>;

/** Compares all files but pages with SHA256SUMS. `inspect` compares snapshot.json and contract.json. @returns the digests of existing files */
export function checkDigests({ folder, sums }: Release, findings: Findings): FileDigests {
  const digests = new Map<string, string>();
  for (const [path, expected] of sums.others) {
    const found = hashPlain(join(folder, path));
    if (found === undefined) continue;
    digests.set(path, found);
    if (found !== expected && path !== SNAPSHOT && path !== CONTRACT)
      findings.add({ check: "digests", path, found, expected });
  }
  return digests;
}
