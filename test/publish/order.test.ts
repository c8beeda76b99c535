/** What readers find during publishing: wherever a run ends, no reference leads to a missing file or one of another release. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import type { Bulk } from "../../src/build/artifacts/bulk.js";
import { type Changes, parseChanges } from "../../src/build/artifacts/steps.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { type BuildResult, type PublishOptions, publish, verify } from "../../src/index.js";
import { headersOf } from "../../src/publish/bucket.js";
import { switchTo, writeRelease } from "../serve/release.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";
import { buildUsers, published } from "./releases.js";

let folder: string;
let dist: string;
let site: string;

beforeEach(() => {
  folder = scratch();
  [dist, site] = [join(folder, "dist"), join(folder, "site")];
});

const publishSite = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist, target: site, ...options }, effects);
const read = (path: string) => (existsSync(join(site, path)) ? readFileSync(join(site, path)) : undefined);
/** Whether SHA256SUMS lists these very bytes. */
const isListed = (path: string) => `${read("SHA256SUMS")}`.includes(`${sha256(read(path) ?? "none")}  ${path}\n`);
const snapshotOf = (release: string) => JSON.parse(readFileSync(join(release, "snapshot.json"), "utf8"));
const idOf = (release: string): string => snapshotOf(release).id;

/**
 * Publishes a release over another in runs of which each ends a change later; the next run completes each.
 * @returns what `look` has found after them.
 */
async function interrupted<T>(before: string, after: string, look: () => T): Promise<Set<T>> {
  const seen = new Set<T>();
  await switchTo(dist, after);
  for (let last = 1, isDone = false; !isDone; last++) {
    await publishSite({ release: idOf(before), force: true });
    const onProgress = ({ files }: { files: number }) => {
      if (files >= last) throw new Error("The run ends here");
    };
    isDone = await publishSite({ release: idOf(after), force: true }, { onProgress }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe("The run ends here");
        return false;
      },
    );
    seen.add(look());
    await publishSite({ release: idOf(after) });
    expect(published(site)).toEqual(readTree(after));
  }
  return seen;
}

describe("parts of all records", () => {
  /** Reads and verifies a file; undefined if a digest does not match. */
  function readBulk(): { id: string; lines: string } | undefined {
    if (!isListed("snapshot.json") || !isListed("bulk.json")) return undefined;
    const { parts }: Bulk = JSON.parse(`${read("bulk.json")}`);
    if (!parts.every(({ file }) => isListed(file))) return undefined;
    const packed = Buffer.concat(parts.map(({ file }) => read(file) ?? Buffer.alloc(0)));
    return { id: idOf(site), lines: gunzipSync(packed).toString() };
  }

  test("are put before their list, and removed with the last release that has them", async () => {
    const bulk = await buildUsers(folder, 25, { bulk: true });
    const steps: string[] = [];
    await publishSite({ dryRun: true }, { onStep: (_kind: string, path: string) => steps.push(path) });
    const order = ["bulk/1.ndjson.gz", "bulk.json", "SHA256SUMS", "snapshot.json"];
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

  test("match snapshot.json, or are noticed not to", async () => {
    const rows = plainRows(25);
    const edited = rows.map((row, at) => (at % 5 === 0 ? { ...row, bio: "new" } : row));
    const [before, after] = [
      await buildUsers(folder, rows, { bulk: true }),
      await buildUsers(folder, edited, { bulk: true }),
    ];
    const linesOf = ({ folder: release }: BuildResult) =>
      gunzipSync(readFileSync(join(release, "bulk/1.ndjson.gz"))).toString();
    const expected = new Map([before, after].map((release) => [release.id, linesOf(release)]));
    const seen = await interrupted(before.folder, after.folder, () => {
      const found = readBulk();
      if (found) expect(found.lines).toBe(expected.get(found.id));
      return found?.id;
    });
    expect(seen).toEqual(new Set([after.id, undefined]));
    expect(readBulk()?.id).toBe(after.id);
  });
});

describe("steps", () => {
  /** Releases with one more user each, and steps from earlier ones. */
  async function releases(count: number, changes: number): Promise<BuildResult[]> {
    const built: BuildResult[] = [];
    for (let at = 0; at < count; at++)
      built.push(await buildUsers(folder, plainRows(200).slice(count - at), { changes, pageSize: 50 }));
    return built;
  }

  function changesNow(): Changes {
    const changes = parseChanges(`${read("changes.json")}`);
    if ("why" in changes) throw new Error(`changes.json ${changes.why}`);
    return changes;
  }

  test("of the release are there, and unused ones are removed", async () => {
    const built = await releases(4, 2);
    for (const { id } of built.slice(0, 3)) await publishSite({ release: id });
    const [newest] = changesNow().steps.map(({ file }) => file);
    expect(await publishSite({ release: built[3]?.id })).toMatchObject({ removed: 1 });
    expect(published(site)).toEqual(readTree(built[3]?.folder ?? ""));
    expect(changesNow().steps[1]?.file).toBe(newest);
    expect(await verify({ what: site })).toMatchObject({ passed: true });
    expect(await publishSite()).toMatchObject({ added: 0, changed: 0, removed: 0 });
  });

  test("that changes.json names are there, and snapshot.json is never newer", async () => {
    const [, before, after] = (await releases(3, 1)).map((release) => release.folder);
    const seen = await interrupted(before ?? "", after ?? "", () => {
      const { state, steps } = changesNow();
      for (const { file, bytes } of steps) expect(read(file)?.length).toBe(bytes);
      const isSame = state === snapshotOf(site).state;
      // Readers of the new snapshot.json get the new changes.json.
      if (idOf(site) === idOf(after ?? "")) expect(isSame).toBe(true);
      return `${isSame ? "one state" : "changes ahead"}, ${isListed("changes.json") ? "listed" : "not listed"}`;
    });
    expect(seen).toEqual(new Set(["one state, listed", "changes ahead, not listed", "changes ahead, listed"]));
  });
});

describe("the explorer", () => {
  const FILES = [
    ...["lookup/keys/1.txt", "lookup/words/1.txt", "lookup/words/2.txt", "lookup/index.json"],
    ...["explorer/app.js", "explorer/style.css", "explorer/facets/1.txt", "explorer/summary.json"],
  ];
  const PAGE = "index.html";
  /** A release whose explorer has these texts. */
  const explored = (text: string) =>
    writeRelease(dist, {
      bio: text,
      others: Object.fromEntries([...FILES, PAGE].map((path) => [path, `${path} ${text}\n`])),
    });

  test("has its script and its data, wherever the first run with it ends", async () => {
    const [before, after] = [await writeRelease(dist, { bio: "0" }), await explored("1")];
    const seen = await interrupted(before, after, () => {
      const isThere = read(PAGE) !== undefined;
      if (isThere) for (const path of [...FILES, PAGE]) expect(isListed(path), path).toBe(true);
      return isThere;
    });
    expect(seen).toEqual(new Set([false, true]));
  });

  test("misses no file between two releases, and its data match the list or are noticed not to", async () => {
    const [before, after] = [await explored("1"), await explored("2")];
    const seen = await interrupted(before, after, () => {
      for (const path of [...FILES, PAGE]) expect(read(path), path).toBeDefined();
      const isNew = idOf(site) === idOf(after);
      if (isNew) for (const path of FILES) expect(isListed(path), path).toBe(true);
      return `${isNew ? "new" : "old"} snapshot, ${`${read(PAGE)}`.includes("2") ? "new" : "old"} page`;
    });
    expect(seen).toEqual(new Set(["old snapshot, old page", "new snapshot, old page", "new snapshot, new page"]));
  });

  test("is removed before its files", async () => {
    const [before, after] = [await explored("1"), await writeRelease(dist, { bio: "0" })];
    const seen = await interrupted(before, after, () => {
      const isThere = read(PAGE) !== undefined;
      if (isThere) for (const path of FILES) expect(read(path), path).toBeDefined();
      return isThere;
    });
    expect(seen).toEqual(new Set([true, false]));
    for (const gone of ["lookup", "explorer", PAGE]) expect(existsSync(join(site, gone))).toBe(false);
  });
});

describe("a listing that moves to another path", () => {
  const owned = () => JSON.parse(`${read(".rollcall-published.json")}`);
  const shape = { encodings: ["gzip" as const] };

  test("has all pages of snapshot.json, wherever a run ends", async () => {
    const users = await writeRelease(dist, shape);
    const stations = await writeRelease(dist, { ...shape, contract: STATIONS_CONTRACT });
    const seen = await interrupted(users, stations, () => {
      const said = readTree([users, stations].find((release) => idOf(release) === idOf(site)) ?? "");
      for (const [path, text] of said) if (path.includes("/pages/")) expect(`${read(path)}`, path).toBe(text);
      return said.size;
    });
    expect(seen.size).toBeGreaterThan(0);
    expect(existsSync(join(site, "api"))).toBe(false);
    expect(owned().listings).toEqual([{ path: "/v1/stations/", pages: 3, variants: ["identity", "gzip"] }]);
  });

  test("a third path after an interrupted run leaves nothing of the others", async () => {
    await switchTo(dist, await writeRelease(dist, shape));
    await publishSite();
    await switchTo(dist, await writeRelease(dist, { ...shape, contract: STATIONS_CONTRACT }));
    const stop = new AbortController();
    const onProgress = ({ files }: { files: number }) => files >= 4 && stop.abort();
    await expect(publishSite({ force: true }, { onProgress, signal: stop.signal })).rejects.toThrow();
    expect(owned()).toMatchObject({
      complete: false,
      paths: ["/v1/stations/", "/api/users/"],
      listings: [{ path: "/v1/stations/" }, { path: "/api/users/", pages: 3 }],
    });
    const third = await writeRelease(dist, { ...shape, contract: stationsAt("/v2/stations/") });
    await switchTo(dist, third);
    await expect(publishSite()).rejects.toThrow("holds another listing, https://directory.example.com/v1/stations/");
    await publishSite({ force: true });
    expect(published(site)).toEqual(readTree(third));
    expect([existsSync(join(site, "api")), existsSync(join(site, "v1"))]).toEqual([false, false]);
  });

  test.each(["/../up/", "/a/../../up/", "//host/", "/a//b/", "/.git/", "/a", "a/", "/.rollcall-x/"])(
    "refuses a target's list with the path %s",
    async (path) => {
      await switchTo(dist, await writeRelease(dist, { contract: STATIONS_CONTRACT }));
      await publishSite();
      const file = join(site, ".rollcall-published.json");
      const list = readFileSync(file, "utf8");
      for (const [right, wrong] of [
        ['"paths":["/v1/stations/"]', `"paths":["${path}"]`],
        ['"path":"/v1/stations/"', `"path":"${path}"`],
      ] as const) {
        expect(list).toContain(right);
        writeFileSync(file, list.replace(right, wrong));
        await expect(publishSite(), wrong).rejects.toThrow("is not a list that Rollcall wrote");
      }
    },
  );
});

test.each([
  ["bulk/1.ndjson.gz", "application/gzip"],
  ["changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz", "application/gzip"],
  ["lookup/keys/1.txt", "text/plain; charset=utf-8"],
  ["explorer/facets/1.txt", "text/plain; charset=utf-8"],
  ["bulk.json", "application/json", "no-cache"],
  ["openapi.json", "application/json"],
  ["notes.constructor", "text/plain; charset=utf-8"],
  ["SHA256SUMS.minisig", "text/plain; charset=utf-8", "no-cache"],
  ["changes.json", "application/json", "no-cache"],
  ["explorer/summary.json", "application/json", "no-cache"],
  ["index.html", "text/html; charset=utf-8", "no-cache"],
  ["explorer/app.js", "text/javascript; charset=utf-8", "no-cache"],
  ["explorer/style.css", "text/css; charset=utf-8", "no-cache"],
])("in a bucket, %s has its Content-Type and Cache-Control", (path, type, age = "max-age=60") => {
  const headers = headersOf({ inside: path, variant: undefined }, "max-age=60");
  // A gzip file has no Content-Encoding, so readers do not decompress it automatically.
  expect(headers).toEqual({ ContentType: type, CacheControl: age });
});
