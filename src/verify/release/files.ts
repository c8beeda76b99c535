/** Checks that a release has all files of SHA256SUMS with their digests, and no others, and compares files that the records make. */
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Sink, SinkFile } from "../../artifacts/artifact.js";
import { codeOf, UserError } from "../../errors.js";
import { CONTRACT, OWNED, RELEASE_NAME, SIGNATURE, SNAPSHOT, SUMS } from "../../release/layout.js";
import { parseFolderName } from "../../release/name.js";
import type { Release } from "../../release/open.js";
import { entriesOf } from "../../release/page-names.js";
import { hashPlain, sha256 } from "../../release/plain-files.js";
import type { Finding, Findings } from "../verdict.js";
import { readPage } from "./page-check.js";

/** Files that SHA256SUMS does not list. */
export const UNLISTED: readonly string[] = [SUMS, SIGNATURE, OWNED, RELEASE_NAME];

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

/** What is wrong with a file or a page. */
export type Difference = Pick<Finding, "id" | "found" | "expected">;

/** Adds a finding about a file. */
export type Note = (path: string, difference: Difference) => void;

/** A sink for artifacts that compares the digest of each file with the one in the release. */
export class ComparingSink implements Sink {
  /** Paths of the files that the records make. */
  readonly made = new Set<string>();

  constructor(
    /** The digests of the release's files. */
    private readonly digests: FileDigests,
    private readonly note: Note,
    /** Called after each file. */
    private readonly onFile: () => void,
  ) {}

  put(path: string, bytes: Buffer): void {
    this.#compare(path, sha256(bytes));
    this.onFile();
  }

  create(path: string): SinkFile {
    const hash = createHash("sha256");
    return {
      bytes: 0,
      write: (bytes) => void hash.update(bytes),
      finish: () => this.#compare(path, hash.digest("hex")),
      close() {},
    };
  }

  #compare(path: string, digest: string): void {
    this.made.add(path);
    const found = this.digests.get(path);
    if (found === undefined) this.note(path, { found: "no such file", expected: "one, as the records make it" });
    else if (found !== digest)
      this.note(path, { found: `other bytes, ${found}`, expected: `${digest}, as the records make it` });
  }
}
