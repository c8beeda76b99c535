/** Publishing to a bucket of a real S3-compatible server over HTTP. */
import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type PublishEffects, type PublishOptions, publish } from "../../src/index.js";
import { switchTo, writeRelease } from "../serve/release.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { STATIONS_CONTRACT } from "../support/stations.js";
import { buildUsers } from "./releases.js";
import { BUCKET, needsCeph, STORE_ENV, type StoreServer, startStore } from "./store.js";

const OWNED = ".rollcall-published.json";

let folder: string;
let dist: string;
let store: StoreServer;

beforeEach(async () => {
  folder = scratch();
  dist = join(folder, "dist");
  store = await startStore();
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const publishBucket = (options: Partial<PublishOptions> = {}, effects: PublishEffects = {}) =>
  publish({ dist, target: `s3://${BUCKET}/dir/`, endpoint: store.endpoint, ...options }, effects);
/** The objects that were put, without Rollcall's own. */
const puts = () => store.seen.filter((line) => line.startsWith("PUT") && !line.includes(".rollcall-"));

/** All objects below `dir/`, without Rollcall's own. */
async function objects(): Promise<Map<string, string>> {
  const paths = (await store.keys()).filter((key) => key.startsWith("dir/")).map((key) => key.slice(4));
  const texts = await Promise.all(paths.map(async (path) => (await store.read(`dir/${path}`))?.text ?? ""));
  return new Map(paths.map((path, at) => [path, texts[at] ?? ""] as const).filter(([path]) => path !== OWNED));
}

describe("puts", () => {
  test("every file of the release, with its headers", async () => {
    const release = await buildUsers(folder, 25, { compress: ["br", "gzip"] });
    const result = await publishBucket();
    expect(result).toMatchObject({ target: `s3://${BUCKET}/dir`, added: 15, changed: 0, removed: 0 });
    expect(result.requests).toBe(store.seen.length);
    const paths = [...readTree(release.folder).keys()];
    expect([...(await objects()).keys()].sort()).toEqual(paths);
    const headers = async (path: string) => {
      const found = await store.read(`dir/${path}`);
      return ["content-type", "content-encoding", "cache-control"].map((name) => found?.headers.get(name) ?? null);
    };
    const age = "public, max-age=60";
    expect(await headers("api/users/pages/1.json")).toEqual(["application/json", null, age]);
    expect(await headers("api/users/pages/1.json.br")).toEqual(["application/json", "br", age]);
    expect(await headers("api/users/pages/1.json.gz")).toEqual(["application/json", "gzip", age]);
    expect(await headers("snapshot.json")).toEqual(["application/json", null, "no-cache"]);
    expect(await headers("SHA256SUMS")).toEqual(["text/plain; charset=utf-8", null, "no-cache"]);
    expect(await headers("avatar.svg")).toEqual(["image/svg+xml", null, age]);
    expect((await headers(OWNED))[2]).toBe("no-store");
    // fetch decompresses compressed ones.
    const plain = readTree(release.folder).get("api/users/pages/2.json");
    expect((await store.read("dir/api/users/pages/2.json.br"))?.text).toBe(plain);
  });

  test("only what differs, pages before snapshot.json, then removes files of the old release", async () => {
    const rows = plainRows(35);
    await buildUsers(folder, rows);
    await publishBucket();
    const release = await buildUsers(
      folder,
      rows.slice(0, 25).map((row, at) => (at === 3 ? { ...row, bio: "x" } : row)),
    );
    store.seen.length = 0;
    const result = await publishBucket();
    expect(result).toMatchObject({ changed: 6, removed: 1, same: 3 });
    expect(await objects()).toEqual(readTree(release.folder));
    const changes = store.seen.filter((line) => /^(PUT|DELETE)/.test(line) && !line.includes(".rollcall-"));
    expect(changes.slice(-3)).toEqual([
      "PUT dir/SHA256SUMS",
      "PUT dir/snapshot.json",
      "DELETE dir/api/users/pages/4.json",
    ]);
  });

  test("nothing when nothing changed", async () => {
    await buildUsers(folder, 15);
    await publishBucket();
    store.seen.length = 0;
    expect(await publishBucket()).toMatchObject({ added: 0, changed: 0, removed: 0, same: 8, bytes: 0 });
    expect(puts()).toEqual([]);
  });

  test("what others have changed or removed", async () => {
    const release = await buildUsers(folder, 25);
    await publishBucket();
    await store.change("dir/api/users/pages/1.json", "theirs");
    await store.change("dir/api/users/pages/2.json", undefined);
    store.seen.length = 0;
    expect(await publishBucket()).toMatchObject({ added: 1, changed: 1, same: 7 });
    expect(await objects()).toEqual(readTree(release.folder));
    expect(store.seen.filter((line) => line.startsWith("HEAD"))).toEqual(["HEAD dir/api/users/pages/1.json"]);
  });

  test("nothing that already has its digest, without a list of digests", async () => {
    await buildUsers(folder, 25);
    await publishBucket();
    const sums = (await store.read("dir/SHA256SUMS"))?.text ?? "";
    // The entity tag is an MD5, which is trusted only if SHA256SUMS there has the same SHA-256.
    await store.change("dir/SHA256SUMS", sums.replaceAll(/[0-9a-f]{64}/g, "1".repeat(64)));
    store.seen.length = 0;
    expect(await publishBucket()).toMatchObject({ added: 0, changed: 1, same: 8 });
    expect(store.seen.filter((line) => line.startsWith("HEAD"))).toHaveLength(9);
  });

  test("everything again with another Cache-Control", async () => {
    await buildUsers(folder, 25);
    await publishBucket();
    const cacheControl = "max-age=5";
    // Files that name the current state are not cached.
    expect(await publishBucket({ cacheControl })).toMatchObject({ changed: 7, same: 2 });
    expect((await store.read("dir/api/users/pages/1.json"))?.headers.get("cache-control")).toBe("max-age=5");
    expect((await store.read("dir/snapshot.json"))?.headers.get("cache-control")).toBe("no-cache");
    expect(await publishBucket({ cacheControl })).toMatchObject({ changed: 0, same: 9 });
  });

  test("more objects than one list has", async () => {
    needsCeph("s3rver cannot list in parts; its proxy does, ten at a time");
    await switchTo(dist, await writeRelease(dist, { count: 1100, pageSize: 1 }));
    await publishBucket();
    store.seen.length = 0;
    expect(await publishBucket()).toMatchObject({ added: 0, changed: 0, same: 1104 });
    expect(store.seen.filter((line) => line === "GET ")).toHaveLength(2);
  });

  test("files of many megabytes one at a time, also after lost responses, and at the root of a bucket", async () => {
    const big = "0123456789abcde\n".repeat(400_000);
    await switchTo(dist, await writeRelease(dist, { others: { "big.bin": big, "big2.bin": big, "c/d.txt": "small" } }));
    const target = `s3://${BUCKET}`;
    let lost = 0;
    store.fault = (method, key) => (method === "PUT" && key === "big.bin" && lost++ < 2 ? "lose answer" : undefined);
    await publishBucket({ target });
    expect(puts().filter((line) => line.includes("big"))).toEqual([...Array(3).fill("PUT big.bin"), "PUT big2.bin"]);
    expect((await store.read("big.bin"))?.text.length).toBe(big.length);
    expect((await store.read("big.bin"))?.text === big).toBe(true);
    expect((await store.read("c/d.txt"))?.text).toBe("small");
    expect(await publishBucket({ target })).toMatchObject({ added: 0, changed: 0 });
  });
});

describe("leaves alone", () => {
  test("objects of others, and everything outside the prefix", async () => {
    await store.change("dir/index.html", "theirs");
    await store.change("dirt/api/users/pages/1.json", "theirs");
    await buildUsers(folder, 25);
    await publishBucket();
    await buildUsers(folder, 5);
    await publishBucket();
    expect((await store.read("dir/index.html"))?.text).toBe("theirs");
    expect((await store.read("dirt/api/users/pages/1.json"))?.text).toBe("theirs");
  });

  test("an object in the place of a file, unless forced", async () => {
    await store.change("dir/api/users/pages/1.json", "theirs");
    const release = await buildUsers(folder, 25);
    await expect(publishBucket()).rejects.toThrow("that Rollcall did not put there: api/users/pages/1.json;");
    expect(puts()).toEqual([]);
    await publishBucket({ force: true });
    expect(await objects()).toEqual(readTree(release.folder));
  });

  test("everything in a dry run", async () => {
    await buildUsers(folder, 25);
    expect(await publishBucket({ dryRun: true })).toMatchObject({ added: 9, bytes: 0 });
    expect(await store.keys()).toEqual([]);
    expect(puts()).toEqual([]);
  });
});

describe("a target that holds another release", () => {
  /** Another machine with a separate `dist`. */
  async function another() {
    const elsewhere = scratch();
    const release = await buildUsers(elsewhere, plainRows(30));
    return { release, options: { dist: join(elsewhere, "dist") } };
  }

  test("is refused, until it is forced", async () => {
    const mine = await buildUsers(folder, 25);
    await publishBucket();
    const { release, options } = await another();
    await expect(publishBucket(options)).rejects.toThrow(
      new RegExp(`holds release ${mine.id}, which is not in .*; .* --force`),
    );
    await expect(publishBucket({ ...options, dryRun: true })).rejects.toThrow("--force");
    await expect(publishBucket({ ...options, expect: "0".repeat(12) })).rejects.toThrow(`--expect ${mine.id}`);
    expect(await publishBucket({ ...options, force: true })).toMatchObject({
      id: release.id,
      before: mine.id,
    });
    // Now this machine does not know the release there.
    await buildUsers(folder, 26);
    await expect(publishBucket()).rejects.toThrow(`holds release ${release.id}`);
    expect(await objects()).toEqual(readTree(release.folder));
  });

  test("is refused for another path, although dist has its release", async () => {
    const mine = await buildUsers(folder, 25);
    await publishBucket();
    const before = await objects();
    const other = await writeRelease(dist, { contract: STATIONS_CONTRACT });
    await switchTo(dist, other);
    const message = `s3://${BUCKET}/dir holds another listing, https://directory.example.com/api/users/ (release ${mine.id}, 25 records), and this one is https://directory.example.com/v1/stations/. Publish to another target, or replace that listing with --force.`;
    await expect(publishBucket()).rejects.toThrow(message);
    await expect(publishBucket({ expect: mine.id })).rejects.toThrow(message);
    expect(await objects()).toEqual(before);
    await publishBucket({ force: true });
    expect(await objects()).toEqual(readTree(other));
  });

  test("is locked by one run; another that begins meanwhile is told the holder and its start", async () => {
    const { release, options } = await another();
    await buildUsers(folder, 25);
    let second: Promise<unknown> | undefined;
    store.fault = (method, key) => {
      if (method !== "GET" || key !== "" || second) return undefined;
      second = publishBucket({}, { now: () => new Date() }).catch((error) => error);
      return { until: second };
    };
    await publishBucket(options, { now: () => new Date(0) });
    expect(String(await second)).toContain(
      `dir is being published to by process ${process.pid} on ${hostname()} since 1970-01-01T00:00:00.000Z; wait until it has ended, then run this again; if it was killed, wait 10 minutes, or take over at once with --take-over.`,
    );
    expect(await objects()).toEqual(readTree(release.folder));
  });

  test("may go back and forth between releases of one dist, and on from a pruned one with --expect", async () => {
    const first = await buildUsers(folder, 25);
    await publishBucket();
    await buildUsers(folder, 26);
    await publishBucket();
    await publishBucket({ release: first.id });
    await buildUsers(folder, 27);
    rmSync(first.folder, { recursive: true });
    await expect(publishBucket()).rejects.toThrow(`--expect ${first.id}`);
    expect(await publishBucket({ expect: first.id })).toMatchObject({ before: first.id });
    const last = await buildUsers(folder, 28);
    await publishBucket();
    await buildUsers(folder, 29);
    // The previous release is known even after it was forgotten.
    rmSync(last.folder, { recursive: true });
    expect(await publishBucket()).toMatchObject({ before: last.id });
  });

  test("has a snapshot.json of another program", async () => {
    await buildUsers(folder, 25);
    await publishBucket();
    await store.change("dir/snapshot.json", '{"id":"../../x"}');
    await expect(publishBucket()).rejects.toThrow("dir/snapshot.json was not written by Rollcall; ");
    await expect(publishBucket({ force: true })).resolves.toMatchObject({ changed: 1 });
  });
});

describe("mistakes", () => {
  test.each([
    ["s3://", "does not name a bucket"],
    ["s3://B", "does not name a bucket"],
    ["s3://key:secret@bucket/x", 'Target "s3://...@bucket/x" contains credentials'],
    ["s3://bucket/a/../b", "has a prefix that is not a path"],
    ["s3://bucket/a?b", "has a prefix that is not a path"],
  ])("%s is not a target", async (target, message) => {
    await buildUsers(folder, 5);
    await expect(publishBucket({ target })).rejects.toThrow(message);
    expect(store.seen).toEqual([]);
  });

  test("a wrong secret key", async () => {
    needsCeph("s3rver does not check signatures");
    await buildUsers(folder, 5);
    await publishBucket();
    const before = await objects();
    await buildUsers(folder, 6);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
    await expect(publishBucket()).rejects.toThrow(
      `Cannot publish to s3://${BUCKET}/dir: the secret key does not belong to the access key; check the credentials, then run this again`,
    );
    expect(await objects()).toEqual(before);
  });

  test("a missing bucket, missing credentials, an unknown key, a missing store", async () => {
    await buildUsers(folder, 5);
    await expect(publishBucket({ target: "s3://other/dir" })).rejects.toThrow("there is no such bucket");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "abracadabra");
    await expect(publishBucket()).rejects.toThrow("it does not know the access key; check the credentials");
    const none = { AWS_ACCESS_KEY_ID: "", AWS_EC2_METADATA_DISABLED: "true" };
    const nowhere = { AWS_CONFIG_FILE: "/nowhere", AWS_SHARED_STORE_ENV_FILE: "/nowhere" };
    for (const [name, value] of Object.entries({ ...none, ...nowhere })) vi.stubEnv(name, value);
    await expect(publishBucket()).rejects.toThrow("there are no credentials; set AWS_ACCESS_KEY_ID");
    vi.stubEnv("AWS_ACCESS_KEY_ID", STORE_ENV.AWS_ACCESS_KEY_ID);
    const endpoint = "http://127.0.0.1:9";
    await expect(publishBucket({ endpoint })).rejects.toThrow("the store cannot be reached (ECONNREFUSED)");
  });

  test.each([
    [403, "SignatureDoesNotMatch", "the secret key does not belong to the access key"],
    [403, "AccessDenied", "access is denied; allow s3:ListBucket"],
    [400, "constructor", "the store answered 400 constructor; fix that"],
    [400, "ExpiredToken", "the credentials have expired"],
    [507, "QuotaExceeded", "the store answered 507 QuotaExceeded"],
  ])("a store that answers %i %s", { timeout: 60_000 }, async (status, code, message) => {
    await buildUsers(folder, 5);
    store.fault = (method) => (method === "PUT" ? { status, code } : undefined);
    await expect(publishBucket()).rejects.toThrow(message);
    await expect(publishBucket()).rejects.toThrow("then run this again: it goes on where it stopped.");
  });

  test("an invalid list of owned files", async () => {
    await buildUsers(folder, 5);
    await store.change("dir/.rollcall-published.json", "{}");
    await expect(publishBucket()).rejects.toThrow("published.json is not a list that Rollcall wrote");
  });
});
