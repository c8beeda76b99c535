/** Requests what a release has besides pages: snapshot.json, SHA256SUMS and what else that lists, such as the avatar. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { filesOfHosts } from "../../adapters/adapters.js";
import { etagOf } from "../../contract/headers.js";
import { findDigest } from "../../release/files.js";
import { isPacked, isPublic, SNAPSHOT, SUMS, unlistedFiles } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { MAX_BYTES } from "../../remote/exchange.js";
import { each } from "../../workers/at-most.js";
import { CODINGS } from "../probes/probe.js";
import { type Attempt, digestOf, MOST_WRONG } from "./attempt.js";

/** SHA256SUMS and its signature, with their digests where a release on disk tells them. */
async function digestUnlisted(against: Release | undefined, isSigned: boolean) {
  const memory = Buffer.allocUnsafe(2 ** 18);
  const all = unlistedFiles({ isSigned }).map(async (path) => {
    return [path, against && (await findDigest(join(against.folder, path), memory))] as const;
  });
  return Promise.all(all);
}

/**
 * @param against the release on disk, where there is one: it alone tells the digest of SHA256SUMS.
 * @param known other releases, of which the host may have a file.
 * @param isSigned whether the host has a signature.
 * @returns how many files there are to request.
 */
export async function askFiles(
  attempt: Attempt,
  concurrency: number,
  against: Release | undefined,
  known: readonly Release[],
  isSigned: boolean,
): Promise<number> {
  const { findings, site } = attempt;
  const ofHosts = filesOfHosts();
  const listed = [...(site.release?.sums.others ?? [])].filter(([path]) => isPublic(path) && !ofHosts.has(path));
  const sums = against && join(against.folder, SUMS);
  const digests = new Map<string, string | undefined>([
    ...(await digestUnlisted(against, isSigned)),
    [SNAPSHOT, undefined],
    ...listed,
  ]);
  const maxBytes = sums === undefined ? undefined : Math.max(MAX_BYTES, (await stat(sums)).size + 1);

  await each(digests, concurrency, async ([path, digest]) => {
    // Parts and steps are read one by one, by who proves what is in them.
    if (isPacked(path) || findings.of("files").count >= MOST_WRONG) return;
    const url = `${site.first.facts.baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const place = { check: "files", url };
    for (const coding of CODINGS) {
      const answer = await attempt.ask(place, coding, maxBytes);
      const read = answer && (await digestOf(answer, maxBytes));
      if (!read) continue;
      if ("why" in read) findings.add({ ...place, found: read.why, expected: "200 with a file" });
      else if (digest !== undefined && read.digest !== digest) {
        const other = known.find(({ sums }) => sums.others.get(path) === read.digest);
        const what = other ? `that of release ${other.snapshot.id}` : `other bytes, ${etagOf(read.digest)}`;
        const found = coding === "identity" ? what : `${what}, for ${coding}`;
        findings.add({ ...place, found, expected: etagOf(digest) });
      }
      if (coding === "identity" && answer.status === 200) attempt.checkHeaders(answer, "file", place);
    }
  });
  return digests.size;
}
