/** What a release says of itself, read as far as it can be: what is wrong with it is a finding, and no end. */
import { join } from "node:path";
import { codeOf, hasCode, UserError } from "../../errors.js";
import { shorten } from "../../print/text.js";
import { PageDigests, type SumLine, sumLines } from "../../release/digests.js";
import { readReleaseFile } from "../../release/files.js";
import { findPage, pagePath, SNAPSHOT, SUMS, type Variant } from "../../release/layout.js";
import { parseSnapshot, type Snapshot } from "../../release/snapshot.js";
import type { Findings } from "../findings.js";
import type { Tree } from "./tree.js";

export interface Manifest {
  /** Undefined when it cannot be read. */
  snapshot: Snapshot | undefined;
  /** How many pages there should be, and in which variants. */
  pages: number;
  variants: readonly Variant[];
  /** The digests of pages, unset where SHA256SUMS has none; undefined when it cannot be read. */
  digests: PageDigests | undefined;
  /** The digests of all other files, by path. */
  others: ReadonlyMap<string, string>;
}

/**
 * Reads snapshot.json and SHA256SUMS. Where only one of them can be read, the pages are those that it speaks of.
 * @throws UserError when neither is there, so that this is no release.
 */
export async function readManifest(folder: string, tree: Tree, findings: Findings): Promise<Manifest> {
  const [snapshotText, sumsText] = [await read(folder, tree, SNAPSHOT), await read(folder, tree, SUMS)];
  if (![SNAPSHOT, SUMS].some((name) => tree.get(name) === "file")) {
    throw new UserError(
      `${folder} is no release: it has neither ${SNAPSHOT} nor ${SUMS}. Name a release's folder, or the beginning of an id.`,
    );
  }
  const snapshot = snapshotText === undefined ? undefined : parseSnapshot(snapshotText);
  if (!snapshot) {
    const found = snapshotText === undefined ? "no file to read" : shorten(snapshotText, 100);
    findings.add({ check: "snapshot", path: SNAPSHOT, found, expected: "what Rollcall says of a release" });
  }
  if (sumsText !== undefined) return { snapshot, ...readSums(sumsText, tree, snapshot, findings) };
  findings.add({ check: "sums", path: SUMS, found: "no file to read", expected: "a digest for every file" });
  return { snapshot, ...outline(snapshot, countPages(tree.keys())), digests: undefined, others: new Map() };
}

/** The text of a file that is one, unless it is longer than a text can be. */
async function read(folder: string, tree: Tree, name: string): Promise<string | undefined> {
  if (tree.get(name) !== "file") return undefined;
  try {
    return (await readReleaseFile(join(folder, name))).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "EFBIG")) return undefined;
    throw new UserError(`${join(folder, name)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/** What snapshot.json says, within reason: an absurd number of pages must not become memory. */
function outline(snapshot: Snapshot | undefined, there: number): Pick<Manifest, "pages" | "variants"> {
  return {
    pages: Math.min(snapshot?.pages ?? there, 2 * there + 1000),
    variants: ["identity", ...(snapshot?.encodings ?? [])],
  };
}

function countPages(paths: Iterable<string>): number {
  let pages = 0;
  for (const path of paths) if (findPage(path)?.variant === "identity") pages++;
  return pages;
}

type Listed = Omit<Manifest, "snapshot">;

function readSums(text: string, tree: Tree, snapshot: Snapshot | undefined, findings: Findings): Listed {
  const note = (path: string, found: string, expected: string) =>
    findings.add({ check: "sums", path, found, expected });
  if (!text.endsWith("\n")) note(SUMS, "no newline at its end", "a newline after every line");
  const lines = text.endsWith("\n") ? text : `${text}\n`;
  const listed = countPages(pathsIn(lines));
  const { pages, variants } = outline(snapshot, Math.max(listed, countPages(tree.keys())));
  const digests = new PageDigests(pages, variants);
  const others = new Map<string, string>();
  for (const read of sumLines(lines)) {
    const parsed = inside(read);
    if (!parsed) {
      note(SUMS, JSON.stringify(shorten(read.line, 100)), "64 hexadecimal digits, two spaces and a path");
      continue;
    }
    const { path, digest } = parsed;
    const { page = 0, variant = "identity" } = findPage(path) ?? {};
    const isPage = digests.get(page, variant) !== undefined;
    if (isPage ? digests.has(page, variant) : others.has(path)) note(path, "listed twice", "one line a file");
    else if (isPage) digests.set(page, variant, digest);
    else others.set(path, digest);
  }
  noteUnlisted(digests, others, note);
  return { pages, variants, digests, others };
}

function noteUnlisted(
  digests: PageDigests,
  others: ReadonlyMap<string, string>,
  note: (path: string, found: string, expected: string) => void,
): void {
  const expected = `a line in ${SUMS}`;
  if (!others.has(SNAPSHOT)) note(SNAPSHOT, "not listed", expected);
  for (let page = 1; page <= digests.pages; page++) {
    for (const variant of digests.variants)
      if (!digests.has(page, variant)) note(pagePath(page, variant), "not listed", expected);
  }
}

function* pathsIn(lines: string): Generator<string> {
  for (const line of sumLines(lines)) yield inside(line)?.path ?? "";
}

const LONGEST_PATH = 4096;

/** A valid line, whose path leads to a file inside the release. */
function inside({ digest, path }: SumLine): { digest: string; path: string } | undefined {
  if (digest === undefined || path === undefined || path.length > LONGEST_PATH) return undefined;
  const isInside = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isInside ? { digest, path } : undefined;
}
