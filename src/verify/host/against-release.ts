/** Compares the pages of a host with a release, and names what it serves instead. */
import { etagOf } from "../../contract/headers.js";
import { count, number } from "../../print/numbers.js";
import type { Release } from "../../release/open.js";
import type { Findings } from "../verdict.js";

export type PageComparison = ReturnType<typeof compareWith>;

/** Makes a comparison. @param known other releases that the host may still serve */
export function compareWith({ snapshot, sums }: Release, known: readonly Release[], findings: Findings) {
  // Releases that have all pages so far. Releases share pages, so one page is not enough.
  let candidates = known;
  let [taken, differing] = [0, 0];
  /** Describes a page with this digest. */
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
    /** Explains the differences, after all pages were taken; undefined without any. */
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
