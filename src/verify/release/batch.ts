/** Checks batches of pages: each page by itself, then the order of its users. */
import { USERS_CONTRACT } from "../../contract/contract.js";
import { recordFinder } from "../../contract/record/locate.js";
import { recordPattern } from "../../contract/record-text.js";
import type { WarningCounts } from "../../contract/warnings.js";
import { type DigestBytes, PageDigests } from "../../release/digests.js";
import { PagePaths } from "../../release/layout.js";
import { type Place, RecordLines } from "../../release/record-lines.js";
import { BatchCheck } from "../order.js";
import { Findings } from "../verdict.js";
import type { Manifest } from "./manifest.js";
import { checkReleasePage } from "./page.js";
import { readVariants } from "./variants.js";

interface Outline extends Pick<Manifest, "snapshot" | "variants"> {
  folder: string;
  /** The path of the listing. */
  listing: string;
  /** The path of the list of records, if it is there. */
  list: string | undefined;
}

/** Consecutive pages, with their digests where SHA256SUMS can be read. */
type Batch = { first: number; pages: number; digests: DigestBytes | undefined };

/** Enough that sending a batch costs nothing, few enough that no thread waits long for the others. */
const PAGES_A_BATCH = 16;

export function* batches(pages: number, digests: PageDigests | undefined): Generator<Batch, void> {
  for (let first = 1; first <= pages; first += PAGES_A_BATCH) {
    const length = Math.min(PAGES_A_BATCH, pages - first + 1);
    yield { first, pages: length, digests: digests?.slice(first, length) };
  }
}

/** Makes what checks the batches of one release. @throws UserError, in a check, when a file cannot be read. */
export function startChecks({ folder, listing, snapshot, variants, list: listPath }: Outline) {
  // With the release's own avatar. Other images are mostly of a form that the pattern knows.
  const pattern = recordPattern(`${snapshot?.base_url}/avatar.svg`);
  const paths = new PagePaths(listing);
  const finder = recordFinder(USERS_CONTRACT);
  const places: Place[] = [];
  return ({ first, pages, digests: bytes }: Batch) => {
    const list = listPath === undefined ? undefined : new RecordLines(listPath, places);
    try {
      const findings = new Findings();
      const warnings: WarningCounts = {};
      const users = new BatchCheck(findings, paths);
      const digests = new PageDigests(pages, variants);
      digests.fill(1, bytes ?? {});
      for (let at = 1; at <= pages; at++) {
        const page = first + at - 1;
        const body = readVariants({ folder, paths }, page, variants, (variant) => digests.find(at, variant), findings);
        const keys =
          body && checkReleasePage(page, body, { paths, snapshot, pattern, finder, list, warnings, findings });
        if (keys) users.add(page, keys);
      }
      return { users: users.finish(), warnings, findings: findings.toData() };
    } finally {
      list?.close();
    }
  };
}
