/** Opens a release: reads its manifest and digests, and checks that all pages exist. `findDamage` checks their bytes. */
import { lstatSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Contract } from "../contract/contract.js";
import { MAX_CONTRACT } from "../contract/file/form.js";
import { parseContract } from "../contract/file/load.js";
import type { Snapshot } from "../contract/snapshot.js";
import { codeOf, isMissing, UserError, usageError } from "../errors.js";
import { shorten } from "../print/text.js";
import {
  CONTRACT,
  type NumberedPaths,
  PagePaths,
  RELEASES,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  VIEWS_FOLDER,
} from "./layout.js";
import { idOf } from "./name.js";
import { entriesOf, PageNames } from "./page-names.js";
import { hashPlain, readReleaseFile, sha256, withReleaseFile } from "./plain-files.js";
import { contentDigest, parseSnapshot, snapshotId } from "./snapshot.js";
import { listFiles, pagesToList, readSums, type Sums } from "./sums.js";
import { type ReleaseView, readReleaseViews } from "./views.js";

export interface Release {
  /** Its folder, as an absolute path with all links resolved. */
  folder: string;
  snapshot: Snapshot;
  /** SHA-256 of its content, see `contentDigest`; the id is its beginning. */
  digest: string;
  /** The contract that its records were checked against. */
  contract: Contract;
  /** The paths of its pages. */
  paths: PagePaths;
  /** The digests of all files except SHA256SUMS, its signature, and pages of views. */
  sums: Sums;
  /** Its views, sorted by name. */
  views: readonly ReleaseView[];
  /** Whether it has a signature of SHA256SUMS, which is not verified here. */
  isSigned: boolean;
}

/** Something that is wrong with a release. */
export interface Damage {
  /** The check of `verify` that reports it. */
  check: "contract" | "digests" | "files" | "site" | "snapshot" | "sums" | "views";
  path: string;
  page?: number;
  found: string;
  expected: string;
}

/**
 * Opens the release in `folder`, without reading its pages. A link such as `dist/current` is resolved once, so a later
 * switch does not affect the result.
 * @throws UserError if the release does not exist, or has a problem that `inspect` finds.
 */
export async function openRelease(folder: string): Promise<Release> {
  const { release, problems, root } = await inspect(folder);
  if (release && problems.length === 0) return release;
  throw broken(root, problems);
}

/** The error for a release with problems. */
export function broken(root: string, [first]: readonly Damage[]): UserError {
  const { path, found, expected } = first ?? { path: SNAPSHOT, found: "nothing", expected: "a release" };
  return new UserError(
    `Release ${basename(root)} is broken: ${path}: found ${found}; expected ${expected}. ${adviceFor(root)}`,
  );
}

/**
 * Finds everything that keeps the release in `folder` from being opened: snapshot.json, contract.json and SHA256SUMS, their
 * digests, the id, and the files of pages, whose bytes are not read.
 * @returns the release, unless one of these three files is unusable, and its folder with all links resolved.
 * @throws UserError if there is no folder, or no release in it.
 */
export async function inspect(folder: string): Promise<{ release?: Release; problems: Damage[]; root: string }> {
  const root = await realpath(folder).catch((cause) => {
    throw usageError(`There is no release at ${folder}; run "rollcall build" first.`, cause);
  });
  if (!lstatSync(root).isDirectory()) throw new UserError(`${folder} is a file, not a release's folder.`);
  if (![SNAPSHOT, SUMS].some((name) => lstatSync(join(root, name), { throwIfNoEntry: false })))
    throw new UserError(
      `${folder} is not a release: it has neither ${SNAPSHOT} nor ${SUMS}. Name a release's folder, or the beginning of an id.`,
    );
  const problems: Damage[] = [];
  const add = (check: Damage["check"], path: string, found: string, expected: string, page?: number) => {
    problems.push({ check, path, found, expected, ...(page !== undefined && { page }) });
  };
  const read = async <T>(check: Damage["check"], name: string, step: (path: string) => Promise<T>) => {
    try {
      return await step(join(root, name));
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      add(check, name, isMissing(error) ? "no file" : `no file that can be read (${code})`, "a plain file");
      return undefined;
    }
  };
  const snapshotText = await read("snapshot", SNAPSHOT, async (path) => String(await readReleaseFile(path)));
  const contractText = await read("contract", CONTRACT, async (path) =>
    String(await readReleaseFile(path, MAX_CONTRACT)),
  );
  const snapshot = snapshotText === undefined ? undefined : parseSnapshot(snapshotText);
  if (snapshotText !== undefined && !snapshot)
    add("snapshot", SNAPSHOT, shorten(snapshotText, LONGEST_TEXT), "the JSON that Rollcall writes for a release");
  const contract = contractText === undefined ? undefined : await parseContract(contractText);
  if (contract && "mistakes" in contract)
    for (const mistake of contract.mistakes) add("contract", CONTRACT, shorten(mistake, LONGEST_MISTAKE), "a contract");
  const sums = await read("sums", SUMS, (path) =>
    withReleaseFile(path, async (file, size) => {
      if (!snapshot || !contract || "mistakes" in contract) return undefined;
      return readSums({ file, size }, pagesToList(new PagePaths(contract.listing.path), snapshot));
    }),
  );
  if (sums && "why" in sums) add("sums", SUMS, `a file that ${sums.why}`, "one line for every other file");
  if (!snapshot || !contract || "mistakes" in contract || !sums || "why" in sums) return { problems, root };

  for (const [name, text] of [
    [SNAPSHOT, snapshotText],
    [CONTRACT, contractText],
  ] as const) {
    const found = sha256(text ?? "");
    const listed = sums.others.get(name);
    if (listed === undefined) add("sums", name, "no line", `one in ${SUMS}`);
    else if (found !== listed) add("digests", name, `other bytes, ${found}`, `${listed}, as ${SUMS} lists it`);
  }
  const { id, ...facts } = snapshot;
  const digest = contentDigest(facts, sums);
  if (snapshotId(digest) !== id)
    add("snapshot", SNAPSHOT, `id ${id}`, `${snapshotId(digest)}, which its content gives`);
  for await (const { path, page, found } of findMissing(root, sums)) add("files", path, found, "a plain file", page);
  const views = await readReleaseViews(root, sums, snapshot, add);
  for (const view of views)
    for await (const { path, found } of findMissing(join(root, VIEWS_FOLDER), view.sums))
      add("files", `${VIEWS_FOLDER}/${path}`, found, "a plain file");
  const isSigned = lstatSync(join(root, SIGNATURE), { throwIfNoEntry: false })?.isFile() === true;
  const release = { folder: root, snapshot, digest, contract, paths: sums.paths, sums, views, isSigned };
  return { release, problems, root };
}

/** Maximum characters of a shown text, and of a mistake in a contract, which may repeat the file's text. */
const LONGEST_TEXT = 100;
const LONGEST_MISTAKE = 300;

/** What to do about a broken release. One outside a `dist` was copied or downloaded, so it cannot be built again there. */
function adviceFor(root: string): string {
  const isInDist = basename(dirname(root)) === RELEASES && idOf(basename(root)) !== "";
  if (isInDist)
    return 'Run "rollcall verify" to see all that is wrong; build again, or switch to another one with "rollcall use".';
  return 'Run "rollcall verify" to see all that is wrong; then fetch it again.';
}

/** Finds listed page files that do not exist or are not regular files; only their folder if that is missing or a link. */
async function* findMissing(root: string, { paths, pages }: Sums<NumberedPaths>) {
  for (const folder of paths.folders(pages.pages)) {
    if (!isOwnFolder(join(root, folder.path))) {
      yield { path: folder.path, found: "no folder, or a link to one" };
      continue;
    }
    const files = new PageNames();
    const others = new Set<string>();
    for await (const some of entriesOf(join(root, folder.path)))
      for (const entry of some) {
        if (entry.isFile()) files.add(entry.name);
        else others.add(`${folder.path}/${entry.name}`);
      }
    for (let own = 1; own <= folder.pages; own++)
      for (const variant of pages.variants) {
        const page = folder.first + own - 1;
        if (files.has(own, variant)) continue;
        const path = paths.path(page, variant);
        yield { path, page, found: others.has(path) ? "a link or a special file" : "no such file" };
      }
  }
}

/** Whether a release's pages are in it. Pages behind a symbolic link are outside of it. */
export function hasPageFolder({ folder, paths }: Pick<Release, "folder" | "paths">): boolean {
  return isOwnFolder(join(folder, paths.folder));
}

/** Whether a folder exists, and no symbolic link leads to it. */
function isOwnFolder(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

/** The path of the first file whose bytes do not match SHA256SUMS; undefined if all files do. */
export async function findDamage({ folder, sums, views }: Release, signal?: AbortSignal): Promise<string | undefined> {
  const damaged = await findAltered(folder, listFiles(sums), signal);
  if (damaged !== undefined) return damaged;
  for (const view of views) {
    const page = await findAltered(join(folder, VIEWS_FOLDER), listFiles(view.sums), signal);
    if (page !== undefined) return `${VIEWS_FOLDER}/${page}`;
  }
  return undefined;
}

/** The path of the first of some files that does not match its digest. */
export async function findAltered(
  folder: string,
  files: Iterable<[path: string, digest: string]>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const [path, digest] of files) {
    // Lets other work and abort signals through between files.
    await setImmediate();
    signal?.throwIfAborted();
    if (hashPlain(join(folder, path)) !== digest) return path;
  }
  return undefined;
}
