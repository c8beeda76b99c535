/** Opens a release: reads its manifest and digests, and checks that all pages exist. `findDamage` checks their bytes. */
import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Contract } from "../contract/contract.js";
import { MAX_CONTRACT } from "../contract/file/form.js";
import { readContract } from "../contract/file/read.js";
import { codeOf, hasCode, isMissing, UserError, usageError } from "../errors.js";
import { CONTRACT, PagePaths, RELEASES, SIGNATURE, SNAPSHOT, SUMS } from "./layout.js";
import { idOf } from "./name.js";
import { entriesOf, PageNames } from "./page-names.js";
import { hashPlain, readReleaseFile, sha256, withReleaseFile } from "./plain-files.js";
import { contentDigest, parseSnapshot, type Snapshot, snapshotId } from "./snapshot-file.js";
import { findListed, listFiles, type OpenSums, pagesToList, readSums, type Sums } from "./sums.js";

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
  /** The digests of all files except SHA256SUMS and its signature. */
  sums: Sums;
  /** Whether it has a signature of SHA256SUMS, which is not verified here. */
  isSigned: boolean;
}

/**
 * Opens the release in `folder`, without reading its pages. A link such as `dist/current` is resolved once, so a later
 * switch does not affect the result. Checks that snapshot.json matches its digest and id, and that all page files exist.
 * @throws UserError if the release does not exist, or is not complete.
 */
export async function openRelease(folder: string): Promise<Release> {
  const root = await realpath(folder).catch((cause) => {
    throw usageError(`There is no release at ${folder}; run "rollcall build" first.`, cause);
  });
  const broken = (why: string, cause?: unknown) =>
    new UserError(`Release ${basename(root)} is broken: ${why}. ${adviceFor(root)}`, { cause });
  const reading = async <T>(name: string, read: (path: string) => Promise<T>): Promise<T> => {
    try {
      return await read(join(root, name));
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause;
      if (hasCode(cause, "ENOTDIR")) throw new UserError(`${folder} is a file, not a release's folder.`, { cause });
      const why = isMissing(cause) ? `it lacks ${name}` : `${name} cannot be read (${codeOf(cause)})`;
      throw broken(why, cause);
    }
  };
  const read = (name: string, most?: number) =>
    reading(name, async (path) => String(await readReleaseFile(path, most)));

  const snapshotText = await read(SNAPSHOT);
  const snapshot = parseSnapshot(snapshotText);
  if (!snapshot) throw broken(`${SNAPSHOT} is not of the form that Rollcall writes`);
  const readListed = async (from: OpenSums) => {
    const listed = findListed(from, CONTRACT);
    if (listed === undefined) throw broken(`${CONTRACT} is not listed in ${SUMS}`);
    const text = await read(CONTRACT, MAX_CONTRACT);
    if (sha256(text) !== listed) throw broken(`${CONTRACT} does not match its digest`);
    const contract = await readContract(text);
    if ("mistakes" in contract)
      throw broken(`${CONTRACT} is not a contract: ${contract.mistakes[0]?.replace(/\.$/, "")}`);
    const sums = await readSums(from, pagesToList(new PagePaths(contract.listing.path), snapshot)).catch((cause) => {
      throw broken(`in ${SUMS}, ${cause.message}`, cause);
    });
    return { contract, sums };
  };
  const { contract, sums } = await reading(SUMS, (path) =>
    withReleaseFile(path, (file, size) => readListed({ file, size })),
  );
  const { id, ...facts } = snapshot;
  if (sums.others.get(SNAPSHOT) !== sha256(snapshotText)) throw broken(`${SNAPSHOT} does not match its digest`);
  const digest = contentDigest(facts, sums);
  if (snapshotId(digest) !== id) throw broken(`its id ${id} does not match its content`);
  const missing = await findMissing(root, sums);
  if (missing !== undefined) throw broken(`${missing} is missing`);
  const isSigned = lstatSync(join(root, SIGNATURE), { throwIfNoEntry: false })?.isFile() === true;
  return { folder: root, snapshot, digest, contract, paths: sums.paths, sums, isSigned };
}

/** What to do about a broken release. One outside a `dist` was copied or downloaded, so it cannot be built again there. */
function adviceFor(root: string): string {
  const isInDist = basename(dirname(root)) === RELEASES && idOf(basename(root)) !== "";
  if (isInDist)
    return 'Run "rollcall verify" to see all that is wrong; build again, or switch to another one with "rollcall use".';
  return 'Run "rollcall verify" to see all that is wrong; then fetch it again.';
}

/** The path of a listed page file that does not exist, or of the pages' folder if that is missing or a link. */
async function findMissing(root: string, { paths, pages }: Sums): Promise<string | undefined> {
  const folder = join(root, paths.folder);
  if ((await realpath(folder).catch(() => undefined)) !== folder) return paths.folder;
  const names = new PageNames();
  for await (const some of entriesOf(folder)) for (const { name } of some) names.add(name);
  for (let page = 1; page <= pages.pages; page++)
    for (const variant of pages.variants) if (!names.has(page, variant)) return paths.path(page, variant);
  return undefined;
}

/** Opens a release as `openRelease` does; undefined if it does not exist, or is not complete. */
export async function openIfComplete(folder: string): Promise<Release | undefined> {
  try {
    return await openRelease(folder);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The path of the first file whose bytes do not match SHA256SUMS; undefined if all files do. */
export async function findDamage({ folder, sums }: Release, signal?: AbortSignal): Promise<string | undefined> {
  return findAltered(folder, listFiles(sums), signal);
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
