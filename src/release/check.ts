/** Reads a release to the last byte before it may become current. */
import { join } from "node:path";
import { findDigest } from "./files.js";
import { pagePath } from "./layout.js";
import type { Release } from "./open.js";

/** The path of the first file whose bytes are not those of SHA256SUMS, or undefined when all are. */
export async function findDamage({ folder, sums }: Release, signal?: AbortSignal): Promise<string | undefined> {
  return findAltered(folder, listFiles(sums), signal);
}

/** The path of the first of some files whose bytes do not have the digest, or undefined when all have. */
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

function* listFiles(sums: Release["sums"]): Generator<[path: string, digest: string]> {
  yield* listPages(sums);
  yield* sums.others;
}

/** Every file of a page, compressed or not. */
export function* listPages({ pages }: Release["sums"]): Generator<[path: string, digest: string]> {
  for (let page = 1; page <= pages.pages; page++) {
    for (const variant of pages.variants) yield [pagePath(page, variant), pages.get(page, variant) ?? ""];
  }
}
