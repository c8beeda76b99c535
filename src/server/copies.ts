/** A private folder with a release's few files that are no pages: all that sirv ever sees. */
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, UserError } from "../errors.js";
import { encodeSums } from "../release/digests.js";
import { sha256 } from "../release/files.js";
import { SUMS, USERS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { readVerified, whyDamaged } from "./page-cache.js";
import { showInUse } from "./temporary.js";

export interface Copies {
  folder: string;
  /** Path inside the release -> digest of what was copied, and its length in bytes. */
  files: ReadonlyMap<string, { digest: string; bytes: number }>;
  /** False when something has removed or cut the copy since. */
  isWhole(path: string): Promise<boolean>;
  remove(): Promise<void>;
}

/**
 * Copies snapshot.json, SHA256SUMS and whatever else the release lists. sirv walks its folder when it is made, which
 * would stall every client for a second over a release of 100,000 pages, and never notices what happens to it later.
 * @throws UserError when a file is not what the release says, or when there is no room for the copies.
 */
export async function copyFiles(release: Release): Promise<Copies> {
  const contents = await readFiles(release);
  const folder = await mkdtemp(join(tmpdir(), "rollcall-serve-")).catch((cause) => {
    throw noRoom(cause);
  });
  const letGo = await showInUse(folder);
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    letGo();
  };
  const files = new Map<string, { digest: string; bytes: number }>();
  try {
    for (const [path, bytes] of contents) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes);
      files.set(path, { digest: sha256(bytes), bytes: bytes.length });
    }
  } catch (cause) {
    await remove();
    throw noRoom(cause);
  }
  const isWhole = (path: string) =>
    stat(join(folder, path)).then(
      ({ size }) => size === files.get(path)?.bytes,
      () => false,
    );
  return { folder, files, isWhole, remove };
}

async function readFiles({ folder, sums }: Release): Promise<ReadonlyMap<string, Buffer>> {
  // As it was read: SHA256SUMS has no digest that a second reading could be held against.
  const contents = new Map<string, Buffer>([[SUMS, Buffer.from([...encodeSums(sums)].join(""))]]);
  for (const [path, digest] of sums.others) {
    // For who reviews a release, not for who reads the listing; and it grows with the collection.
    if (path === USERS) continue;
    const file = join(folder, path);
    const inside = isPlainPath(path) && (await realpath(dirname(file)).catch(() => "")) === dirname(file);
    if (!inside || path === SUMS) throw broken(`${SUMS} lists ${JSON.stringify(path)}`);
    const bytes = await readVerified(file, digest).catch((cause) => {
      throw broken(whyDamaged(file, cause), cause);
    });
    contents.set(path, bytes);
  }
  return contents;
}

/** No empty part, no `.` or `..`, and nothing that a URL would have to encode. */
function isPlainPath(path: string): boolean {
  return path.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
}

function broken(why: string, cause?: unknown): UserError {
  return new UserError(`The release is broken: ${why}. Build again, or "rollcall use" another one.`, {
    cause,
  });
}

function noRoom(cause: unknown): UserError {
  const code = codeOf(cause);
  return new UserError(`${tmpdir()} cannot be written to (${code}); point TMPDIR at a folder that can.`, {
    cause,
  });
}
