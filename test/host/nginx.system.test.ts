/** nginx prints no warnings about Rollcall's configuration, for several sites in one server. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { publish } from "../serve/release.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { findProgram } from "../support/needs.js";
import { SHOP, writeShop } from "../support/shop.js";
import { filesFor } from "./servers.js";

test.skipIf(isMissing("nginx"))("nginx -t is silent for three sites", async () => {
  const folder = scratch();
  for (let site = 0; site < 3; site++) {
    const baseUrl = `http://site-${site}.example.com/${"long-".repeat(20)}`;
    const release = await publish(scratch(), { baseUrl, encodings: ["br", "gzip"] });
    // One of them has several listings.
    const shop = {
      db: writeShop(scratch()),
      dist: scratch(),
      baseUrl,
      compress: ["br", "gzip"],
      listings: SHOP,
    } as const;
    const files = await filesFor("nginx", site === 0 ? (await build(shop)).folder : release);
    for (const [path, text] of files) writeFileSync(join(folder, `${site}-${path}`), text);
  }
  const file = join(folder, "nginx.conf");
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\ninclude ${folder}/*-rollcall.conf;\n}\n`);
  const check = `${findProgram("nginx")} -t -q -e stderr -c ${file} 2>&1`;
  expect(execFileSync("sh", ["-c", check], { encoding: "utf8" })).toBe("");
});
