/** Downloads a host's release, so that the host can be compared with it. */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, UserError } from "../../core/errors.js";
import {
  CONTRACT,
  isViewIndex,
  isViewSums,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
  VIEWS,
  WHOLE_FILES,
} from "../../core/release/layout.js";
import { inspect, type Release } from "../../core/release/open.js";
import { parseSnapshot } from "../../core/release/snapshot.js";
import { explainTemporary } from "../../core/scratch/folder.js";
import type { Findings } from "../verdict.js";
import { type Asker, type HostAnswer, MAX_BYTES, type NoAnswer } from "./ask.js";
import { describeAnswer } from "./model.js";

/** Maximum bytes of SHA256SUMS per page. */
const SUM_BYTES_OF_PAGE = 1000;
/** Maximum bytes of SHA256SUMS, since the number of pages comes from the host, and of files of all records. Other files are far smaller. */
const MOST_BYTES = 2 ** 32;

export const DOWNLOAD_ROW = {
  name: "download",
  rule: "every page and file can be downloaded, and has the digest that SHA256SUMS lists",
} as const;

/** Advice for a wrong response. */
export function adviceFor({ status }: Pick<HostAnswer, "status">, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "The server's user probably cannot read the release: run \"rollcall verify\" there to see why, and read the server's error log.";
}

/**
 * Downloads snapshot.json, contract.json, SHA256SUMS and its signature, as they are, and the files that list the pages of views.
 * @param before the response for snapshot.json
 * @param folder an empty folder
 * @throws UserError if the host has no release
 */
export async function downloadManifest(
  asker: Asker,
  baseUrl: string,
  before: HostAnswer,
  folder: string,
  findings: Findings,
): Promise<Release> {
  const snapshot = before.status === 200 ? parseSnapshot(String(before.body)) : undefined;
  if (!snapshot)
    throw new UserError(
      `${before.url} answers ${describeAnswer(before)} instead of the snapshot.json of a release. ${adviceFor(before, baseUrl)}`,
    );
  await fetchManifest(asker, baseUrl, folder, before, snapshot.pages);
  const listed = (await inspect(folder)).release?.sums.others ?? new Map<string, string>();
  for (const [path, digest] of listed)
    if (path === VIEWS || isViewIndex(path) || isViewSums(path)) {
      // A file that cannot be downloaded is requested again with all others.
      const answer = await fetchInto(asker, `${baseUrl}/${path}`, folder, path, MAX_BYTES).catch(() => undefined);
      if (answer?.digest !== digest) rmSync(join(folder, path), { force: true });
    }
  const { release, problems } = await inspect(folder);
  // The pages are not there yet.
  const wrong = problems.filter(({ check }) => check !== "files");
  if (!release) {
    const [{ path, found, expected } = { path: SNAPSHOT, found: "nothing", expected: "a release" }] = wrong;
    throw new UserError(
      `${baseUrl} serves no release: ${path}: found ${found}; expected ${expected}. ${adviceFor(before, baseUrl)}`,
    );
  }
  for (const { path, found, expected } of wrong)
    findings.add({ check: "files", url: `${baseUrl}/${path}`, found, expected });
  return release;
}

/** Downloads the files that describe a release, as far as the host has them. @param before the response for snapshot.json */
export async function fetchManifest(
  asker: Asker,
  baseUrl: string,
  folder: string,
  before: HostAnswer,
  pages = 0,
): Promise<void> {
  const maxBytes = Math.min(MAX_BYTES + pages * SUM_BYTES_OF_PAGE, MOST_BYTES);
  if (before.status === 200) writeFile(folder, SNAPSHOT, before.body);
  for (const path of [CONTRACT, SUMS, SIGNATURE]) {
    const answer = await fetchInto(asker, `${baseUrl}/${path}`, folder, path, maxBytes);
    if (answer.status !== 200 || answer.flaw !== undefined) rmSync(join(folder, path));
  }
}

/**
 * Downloads a page or a file into a release's folder. If it has another digest, or none, it is requested again past caches, which
 * may be stale. A failure is a finding.
 * @param answer the response, if it was read before
 * @param onFailure called for a request without a complete response
 */
export async function downloadFile(
  asker: Asker,
  url: string,
  { folder }: Release,
  path: string,
  digest: string,
  findings: Findings,
  onFailure: (error: unknown) => void,
  answer?: HostAnswer,
): Promise<void> {
  if (answer?.status === 200 && answer.digest === digest) return writeFile(folder, path, answer.body);
  const pastCaches = `${url}${url.includes("?") ? "&" : "?"}v=${digest.slice(0, 12)}`;
  let found = "";
  for (const place of answer ? [pastCaches] : [url, pastCaches])
    try {
      const own = await fetchInto(asker, place, folder, path, WHOLE_FILES.includes(path) ? MOST_BYTES : MAX_BYTES);
      if (own.status === 200 && own.digest === digest) return;
      found = own.status === 200 ? `other bytes, ${own.digest}` : describeAnswer(own);
    } catch (error) {
      onFailure(error);
      found = `no answer: it ${(error as NoAnswer).why}`;
    }
  // A host may send far more than the file has.
  rmSync(join(folder, path));
  findings.add({ check: DOWNLOAD_ROW.name, url, found, expected: `${digest}, as SHA256SUMS lists it` });
}

/** Downloads a file of any size into the folder, whatever the answer is. */
async function fetchInto(
  asker: Asker,
  url: string,
  folder: string,
  path: string,
  maxBytes: number,
): Promise<HostAnswer> {
  const target = createFile(folder, path);
  try {
    return await asker.ask(url, { maxBytes, take: target.write });
  } finally {
    target.close();
  }
}

function writeFile(folder: string, path: string, bytes: Uint8Array): void {
  const target = createFile(folder, path);
  try {
    target.write(bytes);
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
