/** How a part gets its name, while other processes change the folder of parts. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AsidePart } from "../../src/snapshot/shards/aside.js";
import { scratch } from "../support/files.js";

test("a part fails if the folder of parts is removed while a damaged part is checked", () => {
  const parts = join(scratch(), "parts");
  const aside = new AsidePart(parts, "0-of-1", "pages");
  mkdirSync(join(parts, "0-of-1-0123", "pages"), { recursive: true });
  let checks = 0;
  const isIntact = () => {
    rmSync(parts, { recursive: true, force: true });
    // Ends the test where the part would be renamed again and again.
    return ++checks > 1;
  };
  expect(() => aside.commit("0-of-1-0123", isIntact)).toThrow("ENOENT");
});
