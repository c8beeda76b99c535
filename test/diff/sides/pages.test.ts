/** The contract of a folder of pages, as a side of a diff. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withDefaults } from "../../../src/core/settings/settings.js";
import { scratch } from "../../support/files.js";
import { STATIONS } from "../../support/stations.js";
import { openOnly } from "./opened.js";

test.each([
  ["no JSON", "{", /^\.\/pages has a contract\.json that is not a contract: The file is not JSON/],
  ["too large", " ".repeat(2_000_000), /^\.\/pages has a contract\.json that cannot be read \(ERR_FS_FILE_TOO_LARGE\)/],
])("pages with a contract that is %s", async (_what, text, why) => {
  const cwd = scratch();
  mkdirSync(join(cwd, "pages"));
  writeFileSync(join(cwd, "pages/contract.json"), text);
  const effects = { cwd, dist: join(cwd, "dist"), scratch: scratch(), source: withDefaults("diff", {}) };
  await expect(openOnly("./pages", effects)).rejects.toThrow(why);
  // A link to a contract is not followed.
  rmSync(join(cwd, "pages/contract.json"));
  writeFileSync(join(cwd, "other.json"), JSON.stringify(STATIONS));
  symlinkSync("../other.json", join(cwd, "pages/contract.json"));
  await expect(openOnly("./pages", effects)).rejects.toThrow("contract.json that cannot be read (ELOOP)");
});
