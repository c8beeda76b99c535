/** docs/guides/several-tables.md names the settings that a listing of a site may have for itself. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LISTING_KEYS } from "../../src/core/settings/settings.js";

const GUIDE = readFileSync(new URL("../../docs/guides/several-tables.md", import.meta.url), "utf8");
/** What the guide calls "the gates". */
const GATES = ["maxAdded", "maxRemoved", "maxChanged", "maxField"];

test("the guide lists the settings of a listing", () => {
  const [, sentence = ""] = /^- A listing may have (.+?) and the gates\./ms.exec(GUIDE) ?? [];
  const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, key]) => key);
  expect([...named, ...GATES].sort()).toEqual([...LISTING_KEYS].sort());
});
