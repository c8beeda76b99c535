/** What holds all records in a few files, published: a reader finds it whole, or sees that it is not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import type { Bulk } from "../../src/artifacts/bulk.js";
import { type PublishOptions, publish, verify } from "../../src/index.js";
import { headersOf } from "../../src/publish/bucket.js";
import { sha256 } from "../../src/release/plain-files.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { buildUsers, published } from "./releases.js";

const PART = "bulk/1.ndjson.gz";

let folder: string;
let site: string;

beforeEach(() => {
  folder = scratch();
  site = join(folder, "site");
});

const publishSite = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist: join(folder, "dist"), target: site, ...options }, effects);

/** As a reader does who trusts nothing: undefined where any digest does not fit. */
function readBulk(): { id: string; lines: string } | undefined {
  const read = (path: string) => (existsSync(join(site, path)) ? readFileSync(join(site, path)) : Buffer.alloc(0));
  const snapshot = read("snapshot.json");
  const sums = new Map(
    read("SHA256SUMS")
      .toString()
      .split("\n")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const isListed = (path: string, bytes: Buffer) => sums.get(path) === sha256(bytes);
  const text = read("bulk.json");
  if (!isListed("snapshot.json", snapshot) || !isListed("bulk.json", text)) return undefined;
  const { parts }: Bulk = JSON.parse(text.toString());
  const files = parts.map(({ file }) => [file, read(file)] as const);
  if (!files.every(([file, bytes]) => isListed(file, bytes))) return undefined;
  return {
    id: JSON.parse(snapshot.toString()).id,
    lines: gunzipSync(Buffer.concat(files.map(([, bytes]) => bytes))).toString(),
  };
}

test("a copy has the parts of its release, and parts of no release any more go", async () => {
  const bulk = await buildUsers(folder, 25, { bulk: true });
  const steps: string[] = [];
  await publishSite({ dryRun: true }, { onStep: (_kind: string, path: string) => steps.push(path) });
  const order = [PART, "bulk.json", "SHA256SUMS", "snapshot.json"];
  expect(steps.filter((path) => order.includes(path))).toEqual(order);
  await publishSite();
  expect(published(site)).toEqual(readTree(bulk.folder));
  expect(await verify({ what: site })).toMatchObject({ passed: true });
  expect(await publishSite()).toMatchObject({ added: 0, changed: 0, removed: 0 });

  const plain = await buildUsers(folder, 25);
  expect(await publishSite()).toMatchObject({ removed: 2 });
  expect(published(site)).toEqual(readTree(plain.folder));
  expect(existsSync(join(site, "bulk"))).toBe(false);
});

test("a run that ends at any moment: a reader has all records of what snapshot.json says, or sees that it has not", async () => {
  const rows = plainRows(25);
  const before = await buildUsers(folder, rows, { bulk: true });
  const after = await buildUsers(
    folder,
    rows.map((row, at) => (at % 5 === 0 ? { ...row, bio: "new" } : row)),
    { bulk: true },
  );
  const linesOf = ({ folder: release }: { folder: string }) => gunzipSync(readFileSync(join(release, PART))).toString();
  const expected = new Map([before, after].map((release) => [release.id, linesOf(release)]));
  const seen = new Set<string>();
  for (let last = 1, isDone = false; !isDone; last++) {
    await publishSite({ release: before.id });
    const stop = new AbortController();
    const onProgress = ({ files }: { files: number }) => files >= last && stop.abort();
    isDone = await publishSite({ release: after.id }, { onProgress, signal: stop.signal }).then(
      () => true,
      () => false,
    );
    const found = readBulk();
    if (found) expect(found.lines).toBe(expected.get(found.id));
    seen.add(found?.id ?? "sees that it does not fit");
    await publishSite({ release: after.id });
    expect(readBulk()?.id).toBe(after.id);
  }
  expect(seen).toEqual(new Set([after.id, "sees that it does not fit"]));
});

test.each([
  [PART, "application/gzip"],
  ["changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz", "application/gzip"],
  ["lookup/keys/1.txt", "text/plain; charset=utf-8"],
  ["explorer/facets/1.txt", "text/plain; charset=utf-8"],
  ["bulk.json", "application/json", "no-cache"],
  ["changes.json", "application/json", "no-cache"],
  ["explorer/summary.json", "application/json", "no-cache"],
  ["index.html", "text/html; charset=utf-8", "no-cache"],
  ["explorer/app.js", "text/javascript; charset=utf-8", "no-cache"],
  ["explorer/style.css", "text/css; charset=utf-8", "no-cache"],
])(
  "in a bucket, %s is what a browser takes it for, and asked for as often as it changes",
  (path, type, age = "max-age=60") => {
    const headers = headersOf({ index: 0, path, digest: "", variant: undefined }, "max-age=60");
    // A gzip has no coding, so that no reader undoes it unasked.
    expect(headers).toEqual({ ContentType: type, CacheControl: age });
  },
);
