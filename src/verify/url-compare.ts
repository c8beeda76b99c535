/** Holds what a host answers against the release that it should serve, and says what it serves instead. */
import { etagOf } from "../contract/headers.js";
import { count, number } from "../print/numbers.js";
import { sha256 } from "../release/files.js";
import type { Release } from "../release/open.js";
import type { ListingFacts } from "../remote/listing.js";
import type { Findings } from "./findings.js";

export interface Comparison {
  /** Takes the plain bytes of one page. */
  take(page: number, url: string, bytes: Buffer): void;
  /** What all differences come to, once every page has been taken; undefined where there is none. */
  note(facts: ListingFacts): string | undefined;
}

/** @param known other releases that a host may still serve, or parts of it. */
export function compareWith(release: Release, known: readonly Release[], findings: Findings): Comparison {
  const served = new Map<string, number>();
  let taken = 0;
  return {
    take(page, url, bytes) {
      taken++;
      const found = sha256(bytes);
      const expected = release.sums.pages.get(page, "identity");
      if (found === expected) return;
      const other = known.find(({ sums }) => sums.pages.get(page, "identity") === found);
      const what = other ? `page ${page} of release ${other.snapshot.id}` : `other bytes, ${etagOf(found)}`;
      const name = other?.snapshot.id ?? "";
      served.set(name, (served.get(name) ?? 0) + 1);
      const right = expected === undefined ? `no page ${page}` : `those of release ${release.snapshot.id}`;
      findings.add({ check: "same-bytes", page, url, found: what, expected: right });
    },
    note({ linkBase = release.snapshot.base_url }) {
      const differing = [...served.values()].reduce((sum, pages) => sum + pages, 0);
      if (differing === 0) return undefined;
      const { base_url } = release.snapshot;
      if (linkBase !== base_url)
        return `links lead to ${linkBase}, those of release ${release.snapshot.id} to ${base_url}: a wrong base URL`;
      const [name] = served.keys();
      if (differing < taken)
        return `${number(differing)} of ${count(taken, "page")} ${differing === 1 ? "differs" : "differ"}: a stale cache, or servers of different releases`;
      return served.size === 1 && name
        ? `every page is of release ${name}: the new one has not arrived there`
        : "every page differs: another release is served there";
    },
  };
}
