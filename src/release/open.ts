/** Opens a release: reads its manifest, and checks its files only as far as is asked for. */
import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { MAX_CONTRACT } from "../contract/file/form.js";
import { readContract } from "../contract/file/read.js";
import { codeOf, hasCode, UserError, usageError } from "../errors.js";
import { findDigest, readReleaseFile, sha256, withReleaseFile } from "./files.js";
import { CONTRACT, PagePaths, RELEASES, SIGNATURE, SNAPSHOT, SUMS } from "./layout.js";
import { idOf } from "./name.js";
import { entriesOf, PageNames } from "./page-names.js";
import { contentDigest, parseSnapshot, type Snapshot, snapshotId } from "./snapshot.js";
import { findListed, listFiles, pagesToList, readSums, type Sums } from "./sums.js";

/** One snapshot on disk. */
export interface Release {
  /** Its folder, as an absolute path with all links resolved. */
  folder: string;
  snapshot: Snapshot;
  /** SHA-256 of its content, see `contentDigest`. */
  digest: string;
  /** What its records were checked against. */
  contract: Contract;
  /** Where its pages are. */
  paths: PagePaths;
  /** The digests of all files except SHA256SUMS itself, and its signature. */
  sums: Sums;
  /** Whether there is a signature of SHA256SUMS. Only who has a public key can tell whose it is. */
  isSigned: boolean;
}

/**
 * Opens the release in `folder`, without reading its pages. A link such as `dist/current` is followed once, so that a
 * later switch does not matter. Checks that snapshot.json matches its digest and id, and that all page files are there.
 * @throws UserError when there is no release, or when it is not complete.
 */
export async function openRelease(folder: string): Promise<Release> {
  const root = await realpath(folder).catch((cause) => {
    throw usageError(`There is no release at ${folder}; run "rollcall build" first.`, cause);
  });
  const broken = (why: string, cause?: unknown) =>
    new UserError(`Release ${basename(root)} is broken: ${why}. ${adviceFor(root)}`, { cause });
  const reading = async <T>(name: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause;
      if (hasCode(cause, "ENOTDIR")) throw new UserError(`${folder} is a file, not a release's folder.`, { cause });
      throw broken(`${name} cannot be read (${codeOf(cause)})`, cause);
    }
  };
  const read = (name: string, most?: number) =>
    reading(name, async () => String(await readReleaseFile(join(root, name), most)));

  const snapshotText = await read(SNAPSHOT);
  const snapshot = parseSnapshot(snapshotText);
  if (!snapshot) throw broken(`${SNAPSHOT} is not of the form that Rollcall writes`);
  let names: ReturnType<typeof namesIn> | undefined;
  const { contract, sums } = await reading(SUMS, () =>
    withReleaseFile(join(root, SUMS), async (file, size) => {
      const contract = await findContract(findListed({ file, size }, CONTRACT), () => read(CONTRACT, MAX_CONTRACT));
      if ("why" in contract) throw broken(`${CONTRACT} ${contract.why}`);
      const pages = pagesToList(new PagePaths(contract.listing.path), snapshot);
      // What is there is listed meanwhile.
      names = namesIn(root, pages.paths);
      names.catch(() => {});
      try {
        return { contract, sums: await readSums({ file, size }, pages) };
      } catch (cause) {
        throw broken(`in ${SUMS}, ${cause instanceof Error ? cause.message : cause}`, cause);
      }
    }),
  );
  const { paths } = sums;
  const { id, ...facts } = snapshot;
  if (sums.others.get(SNAPSHOT) !== sha256(snapshotText)) throw broken(`${SNAPSHOT} does not match its digest`);
  const digest = contentDigest(facts, sums);
  if (snapshotId(digest) !== id) throw broken(`its id ${id} does not match its content`);
  const missing = findMissing(await names, sums);
  if (missing) throw broken(`${missing} is missing`);
  const isSigned = lstatSync(join(root, SIGNATURE), { throwIfNoEntry: false })?.isFile() === true;
  return { folder: root, snapshot, digest, contract, paths, sums, isSigned };
}

/** The contract that a release lists in SHA256SUMS, or why it has none. */
async function findContract(
  digest: string | undefined,
  read: () => Promise<string>,
): Promise<Contract | { why: string }> {
  if (digest === undefined) return { why: `is not listed in ${SUMS}` };
  const text = await read();
  if (sha256(text) !== digest) return { why: "does not match its digest" };
  const contract = await readContract(text);
  return "mistakes" in contract ? { why: `is no contract: ${contract.mistakes[0]?.replace(/\.$/, "")}` } : contract;
}

/** A release that was copied or downloaded cannot be built again where it is. */
function adviceFor(root: string): string {
  const isInDist = basename(dirname(root)) === RELEASES && idOf(basename(root)) !== "";
  if (isInDist) return 'Build again, or "rollcall use" another one.';
  return 'See all that is wrong with "rollcall verify", and fetch it anew.';
}

/** Opens a release as `openRelease` does; undefined when there is none, or when it is not complete. */
export async function openIfWhole(folder: string): Promise<Release | undefined> {
  try {
    return await openRelease(folder);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The path of the first file whose bytes do not match SHA256SUMS, or undefined when all files do. */
export async function findDamage({ folder, sums }: Release, signal?: AbortSignal): Promise<string | undefined> {
  return findAltered(folder, listFiles(sums), signal);
}

/** The path of the first of some files that does not match its digest. */
export async function findAltered(
  folder: string,
  files: Iterable<[path: string, digest: string]>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const memory = Buffer.allocUnsafe(2 ** 18);
  for (const [path, digest] of files) {
    signal?.throwIfAborted();
    if ((await findDigest(join(folder, path), memory)) !== digest) return path;
  }
  return undefined;
}

/** The names of pages that are there; undefined where the pages' folder is a link, or missing. */
async function namesIn(root: string, paths: PagePaths): Promise<PageNames | undefined> {
  const folder = join(root, paths.folder);
  if ((await realpath(folder).catch(() => undefined)) !== folder) return undefined;
  const names = new PageNames();
  for await (const some of entriesOf(folder)) for (const { name } of some) names.add(name);
  return names;
}

/** The path of a page file that SHA256SUMS lists and the folder lacks, or of the pages' folder. */
function findMissing(names: PageNames | undefined, { paths, pages }: Sums): string | undefined {
  if (!names) return paths.folder;
  for (let page = 1; page <= pages.pages; page++)
    for (const variant of pages.variants) if (!names.has(page, variant)) return paths.path(page, variant);
  return undefined;
}
