/** Says what a host serves instead of the pages of the release that it should serve. */
import { etagOf } from "../../contract/headers.js";
import { count, number } from "../../print/numbers.js";
import type { Release } from "../../release/open.js";
import type { Findings } from "../verdict.js";

export type PageComparison = ReturnType<typeof compareWith>;

/** @param known other releases that a host may still serve, or parts of it */
export function compareWith({ snapshot, sums }: Release, known: readonly Release[], findings: Findings) {
  // Releases that all pages so far could be of. One page alone says little: releases have pages in common.
  let candidates = known;
  let [taken, differing] = [0, 0];
  /** What a page of this digest is. */
  const nameOf = (page: number, digest: string) => {
    const other = known.find(({ sums }) => sums.pages.get(page, "identity") === digest);
    return other ? `page ${page} of release ${other.snapshot.id}` : `other bytes, ${etagOf(digest)}`;
  };
  return {
    nameOf,
    take(page: number, url: string, digest: string): void {
      taken++;
      const expected = sums.pages.get(page, "identity");
      candidates = candidates.filter(({ sums }) => sums.pages.get(page, "identity") === digest);
      if (digest === expected) return;
      differing++;
      const right = expected === undefined ? `no page ${page}` : `page ${page} of release ${snapshot.id}`;
      findings.add({ check: "same-bytes", page, url, found: nameOf(page, digest), expected: right });
    },
    /** What the differences mean, once every page has been taken; undefined where there are none. */
    note(linkBase: string | undefined): string | undefined {
      if (differing === 0) return undefined;
      const { base_url, id } = snapshot;
      if (linkBase !== undefined && linkBase !== base_url)
        return `links lead to ${linkBase}, those of release ${id} to ${base_url}: a wrong base URL`;
      const [served] = candidates;
      if (served) return `every page is of release ${served.snapshot.id}: the expected one has not been deployed there`;
      if (differing < taken)
        return `${number(differing)} of ${count(taken, "page")} ${differing === 1 ? "differs" : "differ"}: a stale cache, or servers with different releases`;
      return "every page differs: another release is served there";
    },
  };
}
