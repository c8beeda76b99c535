/** Checks that a release has all files of SHA256SUMS with their digests, and no others, and compares files that the records make. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Sink } from "../../build/artifacts/artifact.js";
import { codeOf, UserError } from "../../core/errors.js";
import {
  CONTRACT,
  isViewSums,
  OWNED,
  RELEASE_NAME,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  VIEWS_FOLDER,
  viewSumsPath,
} from "../../core/release/layout.js";
import { parseFolderName } from "../../core/release/name.js";
import type { Release } from "../../core/release/open.js";
import { entriesOf } from "../../core/release/page-names.js";
import { hashPlain, sha256 } from "../../core/release/plain-files.js";
import type { Sums } from "../../core/release/sums.js";
import type { Finding } from "../verdict.js";
import { readPageFile } from "./page-check.js";

/** Files that SHA256SUMS does not list. */
const UNLISTED: readonly string[] = [SUMS, SIGNATURE, OWNED, RELEASE_NAME];

/** The SHA-256 of files that are not pages, by path. */
export type FileDigests = ReadonlyMap<string, string>;

/** What is wrong with a file or a page. */
type Difference = Pick<Finding, "id" | "page" | "found" | "expected">;

/** Adds a finding about a file. */
export type AddFinding = (path: string, difference: Difference) => void;

/**
 * Finds unlisted files, listed files that do not exist, anything that is not a regular file, and a name that is not the
 * folder's. `inspect` finds missing pages.
 * @param listings the folders of listings in a site, which have checks of their own
 * @returns the number of files
 */
export async function checkFiles(
  folder: string,
  { sums, views = [] }: { sums: Sums; views?: Release["views"] },
  add: AddFinding,
  listings: readonly string[] = [],
): Promise<number> {
  const { paths, pages, others } = sums;
  const isOfView = viewFinder(sums, views);
  const wrong = new Map<string, Difference>();
  const missing = new Set(others.keys());
  let files = 0;
  for await (const { path, isFile } of filesBelow(folder, listings)) {
    if (isFile) files++;
    const { page, variant } = paths.find(path) ?? {};
    if (page !== undefined && variant !== undefined && pages.includes(page, variant)) continue;
    if (isFile && isOfView(path)) continue;
    missing.delete(path);
    if (!isFile) wrong.set(path, { found: "a link or a special file", expected: "a plain file" });
    else if (!others.has(path) && !UNLISTED.includes(path)) {
      const expected = `none, since ${SUMS} does not list it`;
      wrong.set(path, { found: "a file", expected, ...(page !== undefined && { page }) });
    }
  }
  for (const path of missing)
    if (!listings.some((name) => path.startsWith(`${name}/`)))
      wrong.set(path, { found: "no such file", expected: "a file" });
  const name = basename(folder);
  const written = String(readPageFile(join(folder, RELEASE_NAME)) ?? "");
  if (parseFolderName(name) && written !== `${name}\n`)
    wrong.set(RELEASE_NAME, { found: JSON.stringify(written.slice(0, 100)), expected: `the folder's name, ${name}` });
  // Sorted, since the order of entries depends on the file system.
  for (const path of [...wrong.keys()].sort()) add(path, wrong.get(path) as Difference);
  return files;
}

/** A path in the folder of a view: inside `views/`, and the name of the view. */
const IN_VIEWS = new RegExp(`^${VIEWS_FOLDER}/(([^/]+)/.+)$`);

/** Makes the test whether a file is a page of a view. It takes all files of views that cannot be read, which are reported. */
function viewFinder({ others }: Sums, views: Release["views"]): (path: string) => boolean {
  const known = new Map(views.map((view) => [view.entry.name, view.sums]));
  const listed = new Set([...others.keys()].filter(isViewSums));
  return (path) => {
    const [, inside = "", name] = IN_VIEWS.exec(path) ?? [];
    if (name === undefined) return false;
    const sums = known.get(name);
    if (!sums) return listed.has(viewSumsPath(name));
    const found = sums.paths.find(inside);
    return found !== undefined && sums.pages.includes(found.page, found.variant);
  };
}

/** Everything in a folder but its folders and what is in `others`. Does not follow links. @throws UserError if a folder cannot be read */
async function* filesBelow(
  folder: string,
  others: readonly string[],
): AsyncGenerator<{ path: string; isFile: boolean }> {
  const open = [""];
  for (let inside = open.pop(); inside !== undefined; inside = open.pop()) {
    try {
      for await (const some of entriesOf(join(folder, inside)))
        for (const entry of some) {
          const path = inside + entry.name;
          if (!entry.isDirectory()) yield { path, isFile: entry.isFile() };
          else if (!others.includes(path)) open.push(`${path}/`);
        }
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause;
      throw new UserError(`${join(folder, inside)} cannot be read (${codeOf(cause)}).`, { cause });
    }
  }
}

/** Compares all files but pages with SHA256SUMS. `inspect` compares snapshot.json and contract.json. @returns the digests of existing files */
export function checkDigests(folder: string, others: FileDigests, add: AddFinding): FileDigests {
  const digests = new Map<string, string>();
  for (const [path, expected] of others) {
    const found = hashPlain(join(folder, path));
    if (found === undefined) continue;
    digests.set(path, found);
    if (found !== expected && path !== SNAPSHOT && path !== CONTRACT) add(path, { found, expected });
  }
  return digests;
}

/**
 * A sink for artifacts that compares the digest of each file with the one in the release, and takes it out of `left`.
 * @param digests the digests of the release's files
 */
export function comparingSink(digests: FileDigests, left: Set<string>, add: AddFinding, onFile: () => void): Sink {
  const compare = (path: string, digest: string) => {
    left.delete(path);
    const found = digests.get(path);
    if (found === undefined) add(path, { found: "no such file", expected: "one, as the records make it" });
    else if (found !== digest)
      add(path, { found: `other bytes, ${found}`, expected: `${digest}, as the records make it` });
    onFile();
  };
  return {
    digestOf: (path) => digests.get(path),
    put: (path, bytes) => compare(path, sha256(bytes)),
    create(path) {
      const hash = createHash("sha256");
      const write = (bytes: Uint8Array) => void hash.update(bytes);
      return { bytes: 0, write, finish: () => compare(path, hash.digest("hex")), close() {} };
    },
  };
}
