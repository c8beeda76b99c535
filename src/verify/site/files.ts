/** Requests what a release has besides pages: snapshot.json, SHA256SUMS and what else that lists, such as the avatar. */
import { join } from "node:path";
import { filesOfHosts } from "../../adapters/adapters.js";
import { etagOf } from "../../contract/headers.js";
import { findDigest } from "../../release/files.js";
import { isPacked, isPublic, SNAPSHOT, SUMS, unlistedFiles } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { each } from "../../workers/at-most.js";
import { CODINGS } from "../probes/probe.js";
import { type Attempt, MOST_WRONG } from "./attempt.js";

/** SHA256SUMS and its signature, with their digests where a release on disk tells them. */
async function digestUnlisted(against: Release | undefined, isSigned: boolean) {
  const memory = Buffer.allocUnsafe(2 ** 18);
  const all = unlistedFiles({ isSigned }).map(async (path) => {
    return [path, against && (await findDigest(join(against.folder, path), memory))] as const;
  });
  return Promise.all(all);
}

interface Wanted {
  /** The release on disk, where there is one: it alone tells the digest of SHA256SUMS. */
  against: Release | undefined;
  /** Other releases, of which the host may have a file. */
  known: readonly Release[];
  /** Whether the host has a signature. */
  isSigned: boolean;
  /** What SHA256SUMS may have at most. */
  sumBytes: number;
}

/** @returns how many files there are to request. */
export async function askFiles(
  attempt: Attempt,
  concurrency: number,
  { against, known, isSigned, sumBytes }: Wanted,
): Promise<number> {
  const { findings, site } = attempt;
  const ofHosts = filesOfHosts();
  const listed = [...(site.release?.sums.others ?? [])].filter(([path]) => isPublic(path) && !ofHosts.has(path));
  const digests = new Map<string, string | undefined>([
    ...(await digestUnlisted(against, isSigned)),
    [SNAPSHOT, undefined],
    ...listed,
  ]);

  await each(digests, concurrency, async ([path, digest]) => {
    // Parts and steps are read one by one, by who proves what is in them.
    if (isPacked(path) || findings.of("files").count >= MOST_WRONG) return;
    const url = `${site.first.facts.baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const place = { check: "files", url };
    for (const coding of CODINGS) {
      const read = await attempt.askDigest(place, coding, path === SUMS ? sumBytes : undefined);
      if (!read) continue;
      if ("why" in read) {
        findings.add({ ...place, found: read.why, expected: "200 with a file" });
        continue;
      }
      if (digest !== undefined && read.digest !== digest) {
        const other = known.find(({ sums }) => sums.others.get(path) === read.digest);
        const what = other ? `that of release ${other.snapshot.id}` : `other bytes, ${etagOf(read.digest)}`;
        const found = coding === "identity" ? what : `${what}, for ${coding}`;
        findings.add({ ...place, found, expected: etagOf(digest) });
      }
      if (coding === "identity") attempt.checkHeaders(read, "file", place);
    }
  });
  return digests.size;
}
