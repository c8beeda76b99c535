/** Pages of views are made of records that are read from one file, several at once. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Gatherer, viewJobs } from "../../../src/build/views/gather.js";
import { copyRecords, removeRecords } from "../../../src/build/views/records-file.js";
import { encodePage } from "../../../src/core/contract/page.js";
import { ViewPaths } from "../../../src/core/release/layout.js";
import { PageDigests } from "../../../src/core/release/sums.js";
import { scratch } from "../../support/files.js";
import { seeded } from "../../support/random.js";

const PAGE_SIZE = 10;
/** More than is read at once. */
const LARGE = 300_000;

/** Records of some sizes: mostly small, some that are skipped rather than read, and large ones. */
function someRecords(count: number): string[] {
  const random = seeded();
  return Array.from({ length: count }, (_, id) => {
    const length = random.chance(0.02) ? LARGE : random.chance(0.1) ? 20_000 : random.below(200);
    return `{"id":${id},"text":"${"ü".repeat(length)}"}`;
  });
}

test.each(["in their order", "reversed", "at random", "each twice"])("gathers records %s", async (how) => {
  const records = someRecords(400);
  const folder = scratch();
  const listing = { path: "/", baseUrl: "https://data.example.com", links: "query", pageSize: PAGE_SIZE } as const;
  const pages = records.length / PAGE_SIZE;
  const collection = { ...listing, count: records.length, pages };
  mkdirSync(join(folder, "pages"));
  for (let page = 1; page <= pages; page++) {
    const own = records.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    writeFileSync(join(folder, `pages/${page}.json`), encodePage({ ...collection, page }, own).join(""));
  }
  const random = seeded();
  const inOrder = records.map((_, number) => number);
  const numbers = {
    "in their order": inOrder,
    reversed: inOrder.toReversed(),
    "at random": inOrder.map(() => random.below(records.length)),
    "each twice": [...inOrder, ...inOrder],
  }[how] as number[];
  const values = [5, 0, numbers.length - 5];
  const folders = values.map((count, at) => ({ segment: `value-${at}`, records: count }));
  const paths = new ViewPaths("some", folders, PAGE_SIZE);
  const file = await copyRecords(folder, collection, "build", undefined);
  const gatherer = new Gatherer({ records: file, collection });
  try {
    let at = 0;
    const none = () => new PageDigests(1, ["identity"]).slice(1, 1);
    for (const job of viewJobs(paths, Uint32Array.from(numbers), PAGE_SIZE, none))
      for (const { page, made } of gatherer.pages(job)) {
        const end = Math.min(at + PAGE_SIZE, at + page.count - (page.page - 1) * PAGE_SIZE);
        const own = numbers.slice(at, end).map((number) => records[number] ?? "");
        at = end;
        expect(String(Buffer.concat(made.parts)) === encodePage({ ...collection, ...page }, own).join("")).toBe(true);
      }
    expect(at).toBe(numbers.length);
  } finally {
    gatherer.close();
    removeRecords(file);
  }
});
