/** Requests what a release has besides pages: snapshot.json, SHA256SUMS and what else that lists, such as the avatar. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { filesOfHosts } from "../../adapters/adapters.js";
import { etagOf } from "../../contract/headers.js";
import { findDigest } from "../../release/files.js";
import { isPublic, SNAPSHOT, SUMS } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { MAX_BYTES } from "../../remote/exchange.js";
import { each } from "../../workers/at-most.js";
import { CODINGS } from "../probes/probe.js";
import { type Attempt, digestOf, MOST_WRONG } from "./attempt.js";

interface FileOptions {
  concurrency: number;
  /** The release on disk, where there is one: it alone tells the digest of SHA256SUMS. */
  against: Release | undefined;
  /** Other releases, of which the host may have a file. */
  known: readonly Release[];
}

/** @returns how many files there are to request. */
export async function askFiles(attempt: Attempt, { concurrency, against, known }: FileOptions): Promise<number> {
  const { findings, site } = attempt;
  const ofHosts = filesOfHosts();
  const listed = [...(site.release?.sums.others ?? [])].filter(([path]) => isPublic(path) && !ofHosts.has(path));
  const sums = against && join(against.folder, SUMS);
  const digests = new Map<string, string | undefined>([
    [SUMS, sums && (await findDigest(sums, Buffer.allocUnsafe(2 ** 18)))],
    [SNAPSHOT, undefined],
    ...listed,
  ]);
  const maxBytes = sums === undefined ? undefined : Math.max(MAX_BYTES, (await stat(sums)).size + 1);

  const ask = async ([path, digest]: [string, string | undefined]) => {
    const url = `${site.first.facts.baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const place = { check: "files", url };
    for (const coding of CODINGS) {
      const answer = await attempt.ask(place, coding, maxBytes);
      const found = answer && (await digestOf(answer, maxBytes));
      if (!found) continue;
      if ("why" in found) findings.add({ ...place, found: found.why, expected: "200 with a file" });
      else if (digest !== undefined && found.digest !== digest) {
        const other = known.find(({ sums }) => sums.others.get(path) === found.digest);
        const what = other ? `that of release ${other.snapshot.id}` : `other bytes, ${etagOf(found.digest)}`;
        findings.add({
          ...place,
          found: coding === "identity" ? what : `${what}, for ${coding}`,
          expected: etagOf(digest),
        });
      }
      if (coding === "identity" && answer.status === 200) attempt.checkHeaders(answer, "file", place);
    }
  };
  await each(
    until(digests, () => findings.of("files").count >= MOST_WRONG),
    concurrency,
    ask,
  );
  return digests.size;
}

function* until<T>(items: Iterable<T>, isEnough: () => boolean): Generator<T> {
  for (const item of items) {
    if (isEnough()) return;
    yield item;
  }
}
