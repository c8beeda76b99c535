/** Runs axe on a web page in a real browser. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** WCAG 2.2 AA, and what axe calls best practice. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The violations: `rule: the element`. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated instead of added, since the page's policy allows no other script.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (values) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        runOnly: { type: "tag", values },
        resultTypes: ["violations"],
      }),
    RULES,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
