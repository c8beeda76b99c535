/** Checks stretches of pages: each page for itself, then what its users say of each other. */
import { recordPattern } from "../../contract/record-text.js";
import type { WarningCounts } from "../../contract/warnings.js";
import { PageDigests } from "../../release/digests.js";
import { UserIndexReader } from "../../release/user-index.js";
import { Findings } from "../findings.js";
import type { Batch, Checked, Outline } from "./messages.js";
import { Users } from "./order.js";
import { checkPage } from "./page.js";
import { readVariants } from "./variants.js";

export interface BatchChecker {
  check(stretch: Batch): Checked;
  close(): void;
}

/** Binds the check to one release. */
export function createBatchChecker({ folder, snapshot, variants, hasIndex }: Outline): BatchChecker {
  // The image that goes with a release. Others are mostly of a form that the pattern knows.
  const pattern = recordPattern(`${snapshot?.base_url}/avatar.svg`);
  const index = hasIndex ? new UserIndexReader(folder) : undefined;
  return {
    check({ first, pages, digests: bytes }) {
      const findings = new Findings();
      const warnings: WarningCounts = {};
      const users = new Users(findings);
      const digests = new PageDigests(pages, variants);
      digests.fill(1, bytes ?? {});
      for (let at = 1; at <= pages; at++) {
        const page = first + at - 1;
        const body = readVariants(folder, page, variants, (variant) => digests.find(at, variant), findings);
        const keys = body && checkPage(page, body, { snapshot, pattern, index, warnings, findings });
        if (keys) users.add(page, keys);
      }
      const { count, ids, edges } = users;
      return { users: count, ids, edges, warnings, findings: findings.toData() };
    },
    close: () => index?.close(),
  };
}
