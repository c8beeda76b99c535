/** The digests of more page files than a folder of this machine can have, in memory that does not grow with them. */
import { expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { runMeasured } from "../support/memory.js";

const PAGES = 20_000_000;
/** Of all memory at its peak, most of which is Node itself and its garbage: the list has 1.9 GB. */
const MOST_MB = 200;

test(`${PAGES} lines are written and read in little memory`, { timeout: 600_000 }, async () => {
  const program = `
    const lib = ${JSON.stringify(new URL("../../lib/release/", import.meta.url).href)};
    const [{ readSums }, { SumsWriter }, { PagePaths }, { withReleaseFile }] = await Promise.all(
      ["sums/read.js", "sums/writer.js", "layout.js", "files.js"].map((name) => import(lib + name)));
    const { statSync } = await import("node:fs");
    const { createHash } = await import("node:crypto");
    const folder = ${JSON.stringify(scratch())};
    const paths = new PagePaths("/v1/stations/");
    const writer = new SumsWriter(folder, paths, ${PAGES}, ["identity"]);
    const digests = new Uint8Array(32 * 1000);
    const digestOf = (page) => createHash("sha256").update(String(page)).digest();
    for (let first = 1; first <= ${PAGES}; first += 1000) {
      digests.fill(1);
      digests.set(digestOf(first));
      writer.add(first, 1000, { identity: digests });
    }
    writer.finish();
    const path = folder + "/SHA256SUMS";
    const shape = { paths, pages: ${PAGES}, variants: ["identity"] };
    const { pages } = await withReleaseFile(path, (file, size) => readSums({ path, file, size }, shape, true));
    for (let page = 1; page <= ${PAGES}; page += 999_000)
      if (pages.get(page, "identity") !== digestOf(page).toString("hex")) throw new Error("page " + page);
    let bytes = 0;
    for (const lines of pages.lines(paths)) bytes += lines.length;
    answer({ isAll: bytes === statSync(path).size });`;
  const { answer, peak } = await runMeasured(program);
  console.log(`${PAGES} lines: ${Math.round(peak)} MB`);
  expect(answer).toEqual({ isAll: true });
  expect(peak).toBeLessThan(MOST_MB);
});
