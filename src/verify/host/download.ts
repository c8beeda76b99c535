/** Downloads a host's release, so that the host can be compared with it. */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { ListingError } from "../../client/errors.js";
import { openListing } from "../../client/listing.js";
import type { AnyRecord } from "../../contract/contract.js";
import { codeOf, UserError } from "../../errors.js";
import { PUBLISHED_FILES } from "../../hosts/hosts.js";
import { CONTRACT, isPublic, SIGNATURE, SNAPSHOT, SUMS } from "../../release/layout.js";
import { inspect, type Release } from "../../release/open.js";
import { parseSnapshot } from "../../release/snapshot-file.js";
import { explainTemporary } from "../../scratch/folder.js";
import type { Complete } from "../../settings/settings.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import type { Findings } from "../verdict.js";
import { type Answer, type Asker, MAX_BYTES } from "./ask.js";
import { adviceFor } from "./reading.js";
import { describeAnswer } from "./served-listing.js";

/** Maximum bytes of SHA256SUMS per page, and in all, since the number of pages comes from the host. */
const SUM_BYTES_OF_PAGE = 1000;
const MOST_SUM_BYTES = 2 ** 32;

export const DOWNLOAD_ROW = {
  name: "download",
  rule: "every page and file can be downloaded, and has the digest that SHA256SUMS lists",
} as const;

/**
 * Downloads snapshot.json, contract.json, SHA256SUMS and its signature, as they are.
 * @param before the response for snapshot.json
 * @param folder an empty folder
 * @throws UserError if the host has no release
 */
export async function downloadManifest(
  asker: Asker,
  baseUrl: string,
  before: Answer,
  folder: string,
  findings: Findings,
): Promise<Release> {
  const snapshot = before.status === 200 ? parseSnapshot(String(before.body)) : undefined;
  if (!snapshot)
    throw new UserError(
      `${before.url} answers ${describeAnswer(before)} instead of the snapshot.json of a release. ${adviceFor(before, baseUrl)}`,
    );
  await write(folder, SNAPSHOT, [before.body]);
  const maxBytes = Math.min(MAX_BYTES + snapshot.pages * SUM_BYTES_OF_PAGE, MOST_SUM_BYTES);
  for (const path of [CONTRACT, SUMS, SIGNATURE]) await fetchFile(asker, baseUrl, path, folder, maxBytes);
  const { release, problems } = await inspect(folder);
  // The pages are not there yet.
  const [problem] = problems.filter(({ check }) => check !== "files");
  if (!release)
    throw new UserError(
      `${baseUrl} serves no release: ${problem?.path}: found ${problem?.found}; expected ${problem?.expected}. ${adviceFor(before, baseUrl)}`,
    );
  for (const { check: _, path, ...difference } of problems.filter(({ check }) => check !== "files"))
    findings.add({ check: "files", url: `${baseUrl}/${path}`, ...difference });
  return release;
}

/**
 * Downloads all pages and files of a release through the client, which compares each with SHA256SUMS. A failure is a finding.
 * @param release its manifest in the folder that gets the other files
 * @returns whether everything was downloaded
 */
export async function downloadAll(
  asker: Asker,
  baseUrl: string,
  release: Release,
  {
    concurrency,
    signal,
    onProgress,
  }: Pick<Complete<VerifyOptions>, "concurrency"> & Pick<VerifyEffects, "signal" | "onProgress">,
  findings: Findings,
): Promise<boolean> {
  const { folder, contract, sums, snapshot, paths } = release;
  const listing = openListing<AnyRecord>(baseUrl, {
    concurrency,
    signal,
    memoryBytes: concurrency * MAX_BYTES,
    async fetch(url, how) {
      await asker.turn();
      return fetch(url, how);
    },
  });
  const { count: total } = snapshot;
  try {
    for await (const { number, bytes } of listing.pages()) {
      await write(folder, paths.path(number), [bytes]);
      const records = Math.min(number * snapshot.page_size, total);
      onProgress?.({ records, total, words: contract.listing.words });
    }
    for (const path of sums.others.keys()) {
      if (path === SNAPSHOT || path === CONTRACT || !isPublic(path) || PUBLISHED_FILES.has(path)) continue;
      await write(folder, path, listing.stream(path));
    }
    return true;
  } catch (error) {
    if (!(error instanceof ListingError)) throw error;
    const { url, message } = error;
    findings.add({
      check: DOWNLOAD_ROW.name,
      url,
      found: message.replace(`${url} `, ""),
      expected: "what SHA256SUMS lists",
    });
    return false;
  }
}

/** Downloads a file of any size into the folder, if the host has it. */
async function fetchFile(asker: Asker, baseUrl: string, path: string, folder: string, maxBytes: number): Promise<void> {
  const target = createFile(folder, path);
  let isKept = false;
  try {
    const answer = await asker.ask(`${baseUrl}/${path}`, { maxBytes, take: target.write });
    isKept = answer.status === 200 && answer.flaw === undefined;
  } finally {
    target.close();
    if (!isKept) rmSync(join(folder, path));
  }
}

/** Writes a file in pieces. @throws UserError if it cannot be written */
async function write(
  folder: string,
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const target = createFile(folder, path);
  try {
    for await (const piece of pieces) target.write(piece);
  } finally {
    target.close();
  }
}

/** Creates a file, whose path comes from the host. Each function throws UserError if the file cannot be written. */
function createFile(folder: string, path: string) {
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const file = openSync(join(folder, path), "w");
    return {
      write(piece: Uint8Array): void {
        try {
          for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
        } catch (error) {
          throw explainTemporary(error);
        }
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    const code = codeOf(error);
    const explained = explainTemporary(error);
    if (explained !== error || code === undefined) throw explained;
    throw new UserError(`SHA256SUMS lists ${JSON.stringify(path)}, which cannot be written to ${folder} (${code}).`, {
      cause: error,
    });
  }
}
