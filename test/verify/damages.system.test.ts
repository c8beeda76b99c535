/** `rollcall verify` on disk finds every damage of the table, by exactly the checks that the table names. */
import { expect, test } from "vitest";
import { verifyRelease } from "../../src/verify/disk/listing.js";
import { passed } from "../../src/verify/verdict.js";
import { releases } from "../support/damage.js";
import { DAMAGES, isSaid, saidBy } from "../support/damages.js";

const release = releases();

test.each(DAMAGES)("$of: $what", async (damage) => {
  const folder = await release(damage.of);
  damage.make(folder);
  const verdict = await verifyRelease({ folder });
  const differing = verdict.rows.filter(({ outcome }) => outcome === "differs");
  const findings = differing.flatMap(({ findings }) => findings);
  expect(differing.map(({ name }) => name)).toEqual(damage.rows);
  if (!findings.some((finding) => isSaid(damage, finding))) expect(findings.map(saidBy)).toEqual(damage.found);
  expect(passed(verdict)).toBe(false);
  // A damaged file other than a page is one finding.
  if (damage.of === "full" && damage.rows.length === 1) expect(differing[0]?.count).toBe(1);
});
