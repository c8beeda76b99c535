/** Compares what a host answers with the release that it should serve, and says what it serves instead. */
import { etagOf } from "../../contract/headers.js";
import { count, number } from "../../print/numbers.js";
import { sha256 } from "../../release/files.js";
import type { Release } from "../../release/open.js";
import type { ListingFacts } from "../../remote/listing.js";
import type { Findings } from "../verdict.js";

export interface ReleaseComparison {
  /** Compares the decoded bytes of one page. */
  take(page: number, url: string, bytes: Buffer): void;
  /** What the differences mean, once every page has been taken; undefined where there are none. */
  note(facts: ListingFacts): string | undefined;
}

/** @param known other releases that a host may still serve, or parts of it. */
export function compareWith(release: Release, known: readonly Release[], findings: Findings): ReleaseComparison {
  // Releases that all pages so far could be of. One page alone says little: releases have pages in common.
  let candidates = known;
  let [taken, differing] = [0, 0];
  return {
    take(page, url, bytes) {
      taken++;
      const found = sha256(bytes);
      const expected = release.sums.pages.get(page, "identity");
      candidates = candidates.filter(({ sums }) => sums.pages.get(page, "identity") === found);
      if (found === expected) return;
      differing++;
      const other = known.find(({ sums }) => sums.pages.get(page, "identity") === found);
      const what = other ? `page ${page} of release ${other.snapshot.id}` : `other bytes, ${etagOf(found)}`;
      const right = expected === undefined ? `no page ${page}` : `page ${page} of release ${release.snapshot.id}`;
      findings.add({ check: "same-bytes", page, url, found: what, expected: right });
    },
    note({ linkBase = release.snapshot.base_url }) {
      if (differing === 0) return undefined;
      const { base_url } = release.snapshot;
      if (linkBase !== base_url)
        return `links lead to ${linkBase}, those of release ${release.snapshot.id} to ${base_url}: a wrong base URL`;
      const [served] = candidates;
      if (served) return `every page is of release ${served.snapshot.id}: the expected one has not been deployed there`;
      if (differing < taken)
        return `${number(differing)} of ${count(taken, "page")} ${differing === 1 ? "differs" : "differ"}: a stale cache, or servers with different releases`;
      return "every page differs: another release is served there";
    },
  };
}
