import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { PagePaths } from "../../src/release/layout.js";
import { SumsWriter } from "../../src/release/sums/writer.js";
import { scratch } from "../support/files.js";

const PAGES = 1_000_000;
/** Less than half of what the lines have, so that no text of all of them fits. */
const HEAP_MB = 32;

test("a million lines are read with little memory for all that is no buffer", () => {
  const folder = scratch();
  const writer = new SumsWriter(folder, new PagePaths("/v1/stations/"), PAGES, ["identity"]);
  const some = { identity: randomBytes(32 * 1000) };
  for (let first = 1; first <= PAGES; first += 1000) writer.add(first, 1000, some);
  writer.finish();
  const program = `
    const lib = ${JSON.stringify(new URL("../../lib/release/", import.meta.url).href)};
    const [{ readSums }, { PagePaths }, { withReleaseFile }] = await Promise.all(
      ["sums/read.js", "layout.js", "files.js"].map((name) => import(lib + name)));
    const path = ${JSON.stringify(`${folder}/SHA256SUMS`)};
    const shape = { paths: new PagePaths("/v1/stations/"), pages: ${PAGES}, variants: ["identity"] };
    const read = (isKept) => withReleaseFile(path, (file, size) => readSums({ path, file, size }, shape, isKept));
    const [{ pages }, { pages: held }] = [await read(false), await read(true)];
    for (let page = 1; page <= ${PAGES}; page += 999)
      if (pages.get(page, "identity") !== held.get(page, "identity")) throw new Error("page " + page);`;
  const flags = [`--max-old-space-size=${HEAP_MB}`, "--input-type=module", "-e", program];
  execFileSync(process.execPath, flags, { stdio: "pipe" });
});
