/** What a failed put leaves in a target folder. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { openTargetFolder } from "../../src/publish/folder.js";
import { scratch } from "../support/files.js";

test("a put that fails leaves no temporary file", async () => {
  const folder = scratch();
  const from = join(folder, "page");
  writeFileSync(from, "1");
  // A folder is in the way.
  mkdirSync(join(folder, "site", "page"), { recursive: true });
  const target = await openTargetFolder(join(folder, "site"), join(folder, "dist"), folder, {});
  const page = { index: 0, path: "page", inside: "page", digest: sha256("1"), variant: undefined };
  await expect(target.put(page, from)).rejects.toThrow("EISDIR");
  expect(readdirSync(join(folder, "site"))).toEqual(["page"]);
});
