/** Publishing to a folder. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { prune } from "../../src/core/release/switch.js";
import { type PublishOptions, publish } from "../../src/index.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { buildUsers, published } from "./releases.js";

let folder: string;
let site: string;
let dist: string;

beforeEach(() => {
  folder = scratch();
  site = join(folder, "site");
  dist = join(folder, "dist");
});

const publishSite = (options: Partial<PublishOptions> = {}) => publish({ dist, target: site, ...options });
const page = (number: number) => join(site, `api/users/pages/${number}.json`);

describe("writes", () => {
  test("all files of the current release, and the list of them", async () => {
    const release = await buildUsers(folder, 25, { compress: ["br", "gzip"] });
    const result = await publishSite();
    expect(published(site)).toEqual(readTree(release.folder));
    expect(result).toMatchObject({ id: release.id, before: null, resumed: false, changed: 0, removed: 0 });
    expect(result.added).toBe(9 + 6);
    expect(JSON.parse(readFileSync(join(site, ".rollcall-published.json"), "utf8"))).toEqual({
      rollcall: 1,
      release: release.id,
      complete: true,
      paths: ["/api/users/"],
      listings: [{ path: "/api/users/", pages: 3, variants: ["identity", "br", "gzip"] }],
      others: ["avatar.svg", "contract.json", "openapi.json", "records.sha256", "SHA256SUMS", "snapshot.json"],
      time: statSync(join(site, "SHA256SUMS")).mtimeMs / 1000,
    });
  });

  test("only files whose bytes differ, each as a new file", async () => {
    const rows = plainRows(25);
    await buildUsers(folder, rows);
    await publishSite();
    const before = inodes();
    // With another link, the inode of a replaced file is not free for the next new file.
    execFileSync("cp", ["--archive", "--link", site, join(folder, "before")]);
    const bytes = readFileSync(page(2), "utf8");
    writeFileSync(page(3), "damaged");
    const changed = rows.map((row, number) => (number === 3 ? { ...row, bio: "new" } : row));
    const release = await buildUsers(folder, changed);
    const { added, removed, same } = await publishSite();
    expect({ added, removed, same }).toEqual({ added: 0, removed: 0, same: 4 });
    expect(published(site)).toEqual(readTree(release.folder));
    expect(readFileSync(page(2), "utf8")).toBe(bytes);
    const kept = [...inodes()].filter(([path, inode]) => before.get(path) === inode).map(([path]) => path);
    expect(kept.sort()).toEqual(["api/users/pages/2.json", "avatar.svg", "contract.json", "openapi.json"]);
  });

  test("nothing at all when nothing changed", async () => {
    await buildUsers(folder, 25);
    await publishSite();
    const before = inodes();
    expect(await publishSite()).toMatchObject({ added: 0, changed: 0, removed: 0, bytes: 0, resumed: false });
    expect(inodes()).toEqual(before);
  });

  test("another release than the current one, by the beginning of its id", async () => {
    const first = await buildUsers(folder, 25);
    const second = await buildUsers(folder, 26);
    expect((await publishSite({ release: first.id.slice(0, 8) })).id).toBe(first.id);
    expect(published(site)).toEqual(readTree(first.folder));
    expect((await publishSite()).before).toBe(first.id);
    expect(published(site)).toEqual(readTree(second.folder));
    await expect(publishSite({ release: "zz" })).rejects.toThrow('"zz" is neither');
    await expect(publishSite({ dist: join(folder, "none"), release: "zz" })).rejects.toThrow("no release in");
  });

  function inodes(): Map<string, number> {
    return new Map([...readTree(site).keys()].map((path) => [path, statSync(join(site, path)).ino]));
  }
});

describe("several runs at once", () => {
  test("a release stays while it is published", async () => {
    const first = await buildUsers(folder, 25);
    await buildUsers(folder, 26);
    const later = new Date(Date.UTC(2100, 0, 1));
    const untidied: string[] = [];
    const pruned: string[][] = [];
    const options = { dist, target: site, release: first.id };
    await publish(options, { onProgress: () => void pruned.push(prune(dist, 0, later, untidied)) });
    expect(pruned.flat()).toEqual([]);
    expect(untidied[0]).toBe(
      "Old releases were not removed, because one is being published. The next build removes them.",
    );
    expect(published(site)).toEqual(readTree(first.folder));
    expect(prune(dist, 0, later, untidied)).toEqual([first.name]);
  });
});

describe("keeps and removes", () => {
  test("keeps a release of another base URL, unless forced", async () => {
    const theirs = await buildUsers(folder, 25, { baseUrl: "https://other.example.com/x" });
    await publishSite();
    const before = readTree(site);
    const release = await buildUsers(folder, 25, { force: true });
    const message = `${site} holds another listing, https://other.example.com/x/api/users/ (release ${theirs.id}, 25 records), and this one is https://directory.example.com/api/users/. Publish to another target, or replace that listing with --force.`;
    await expect(publishSite()).rejects.toThrow(message);
    await expect(publishSite({ dryRun: true })).rejects.toThrow(message);
    expect(readTree(site)).toEqual(before);
    expect(await publishSite({ force: true })).toMatchObject({ before: theirs.id });
    expect(published(site)).toEqual(readTree(release.folder));
    expect(await publishSite()).toMatchObject({ changed: 0 });
  });

  test("replaces a release of a loopback address with a public one", async () => {
    const local = await buildUsers(folder, 25, { baseUrl: "http://127.0.0.1:8080" });
    expect(await publishSite()).toMatchObject({ warnings: [expect.stringContaining("http://127.0.0.1:8080")] });
    const release = await buildUsers(folder, 25);
    expect(await publishSite()).toMatchObject({ before: local.id, warnings: [] });
    expect(published(site)).toEqual(readTree(release.folder));
  });

  test("removes files of the old release with their folders, and keeps those of others", async () => {
    await buildUsers(folder, 25, { compress: ["br"] });
    await publishSite();
    mkdirSync(join(site, ".git/objects"), { recursive: true });
    const mine = [".git/HEAD", "CNAME", "api/users/index.html", "api/users/pages/9.json"];
    for (const name of mine) writeFileSync(join(site, name), "mine");
    const release = await buildUsers(folder, 15);
    expect(await publishSite()).toMatchObject({ removed: 1 + 3 });
    const files = published(site);
    for (const name of mine) {
      expect(files.get(name), name).toBe("mine");
      files.delete(name);
    }
    expect(files).toEqual(readTree(release.folder));
    expect(existsSync(join(site, ".git/objects"))).toBe(true);
  });

  test("replaces a file of others only if forced", async () => {
    const release = await buildUsers(folder, 25);
    mkdirSync(join(site, "api/users/pages"), { recursive: true });
    writeFileSync(page(3), "mine");
    writeFileSync(join(site, "avatar.svg"), readFileSync(join(release.folder, "avatar.svg")));
    await expect(publishSite()).rejects.toThrow(
      /site has files that Rollcall did not put there: api\/users\/pages\/3.json; .* --force/,
    );
    expect(readdirSync(join(site, "api/users/pages"))).toEqual(["3.json"]);
    expect(await publishSite({ force: true })).toMatchObject({ changed: 1, same: 1 });
    expect(published(site)).toEqual(readTree(release.folder));
  });

  test("does not replace a file of others with a new page", async () => {
    await buildUsers(folder, 15);
    await publishSite();
    writeFileSync(page(3), "mine");
    await buildUsers(folder, 25);
    const before = readTree(site);
    await expect(publishSite()).rejects.toThrow("that Rollcall did not put there: api/users/pages/3.json;");
    expect(readTree(site)).toEqual(before);
  });

  test("a dry run lists the steps in order and changes nothing", async () => {
    await buildUsers(folder, 25);
    await publishSite();
    await buildUsers(folder, 45, { pageSize: 25, compress: ["gzip"] });
    const before = readTree(site);
    const steps: string[] = [];
    const onStep = (kind: string, path: string) => steps.push(`${kind} ${path}`);
    const planned = await publish({ dist, target: site, dryRun: true }, { onStep });
    expect(readTree(site)).toEqual(before);
    expect(steps.slice(-2)).toEqual(["change snapshot.json", "remove api/users/pages/3.json"]);
    const { bytes, ...done } = await publishSite();
    expect(planned).toEqual({ ...done, bytes: 0, dryRun: true });
    expect(bytes).toBeGreaterThan(0);
    const nowhere = join(folder, "nowhere");
    expect((await publish({ dist, target: nowhere, dryRun: true })).added).toBe(10);
    expect(existsSync(nowhere)).toBe(false);
  });
});

describe("links", () => {
  test("the target may be a link", async () => {
    const release = await buildUsers(folder, 25);
    mkdirSync(join(folder, "real"));
    symlinkSync("real", site);
    await publishSite();
    expect(published(join(folder, "real"))).toEqual(readTree(release.folder));
    expect(readlinkSync(site)).toBe("real");
  });

  test.each(["api", "api/users", "api/users/pages"])("%s as a link is not followed", async (path) => {
    await buildUsers(folder, 25);
    await publishSite();
    await buildUsers(folder, 5);
    const outside = join(folder, "outside");
    renameSync(join(site, path), outside);
    symlinkSync(outside, join(site, path));
    const before = readTree(site).size + readTree(outside).size;
    const bytes = readTree(outside);
    await expect(publishSite()).rejects.toThrow(`site/${path} is a link, which is not followed; move it away.`);
    await expect(publishSite({ force: true })).rejects.toThrow("which is not followed");
    expect(readTree(outside)).toEqual(bytes);
    expect(readTree(site).size + readTree(outside).size).toBe(before);
  });

  test("a link in the place of a file is replaced, and its target stays", async () => {
    const release = await buildUsers(folder, 25);
    await publishSite();
    const secret = join(folder, "secret");
    writeFileSync(secret, "mine");
    for (const path of [page(1), page(3), join(site, "snapshot.json")]) {
      rmSync(path);
      symlinkSync(secret, path);
    }
    expect(await publishSite()).toMatchObject({ changed: 3 });
    expect(published(site)).toEqual(readTree(release.folder));
    expect(lstatSync(page(1)).isFile()).toBe(true);
    // Only the link to a removed page is removed.
    rmSync(page(3));
    symlinkSync(secret, page(3));
    await buildUsers(folder, 15);
    await publishSite();
    expect(existsSync(page(3))).toBe(false);
    expect(readFileSync(secret, "utf8")).toBe("mine");
  });

  test("the list of owned files is not read through a link, and does not reach outside", async () => {
    await buildUsers(folder, 25);
    await publishSite();
    const list = join(site, ".rollcall-published.json");
    const owned = JSON.parse(readFileSync(list, "utf8"));
    const secret = join(folder, "secret");
    writeFileSync(secret, "mine");
    for (const others of [["../secret"], [secret], [".git/config"], ["a//b"], [".rollcall-x"], ["a\\b"]]) {
      writeFileSync(list, JSON.stringify({ ...owned, others }));
      await expect(publishSite(), others[0]).rejects.toThrow("is not a list that Rollcall wrote");
    }
    rmSync(list);
    symlinkSync(secret, list);
    await expect(publishSite()).rejects.toThrow("published.json is not a file; move it away");
    expect(readFileSync(secret, "utf8")).toBe("mine");
  });
});

describe("what is refused before anything changes", () => {
  test("does not put a file that was damaged after the check", async () => {
    const release = await buildUsers(folder, 25);
    const onProgress = () => writeFileSync(join(release.folder, "snapshot.json"), "damaged");
    const why = "is damaged: snapshot.json does not match its digest.";
    await expect(publish({ dist, target: site }, { onProgress })).rejects.toThrow(why);
    expect(existsSync(page(1))).toBe(true);
    expect(existsSync(join(site, "snapshot.json"))).toBe(false);
  });

  test("refuses a folder in the place of a file, and a file in the place of a folder", async () => {
    await buildUsers(folder, 25);
    mkdirSync(page(2), { recursive: true });
    await expect(publishSite({ force: true })).rejects.toThrow("2.json is a folder, where a file belongs");
    rmSync(join(site, "api"), { recursive: true });
    writeFileSync(join(site, "api"), "mine");
    await expect(publishSite({ force: true })).rejects.toThrow("api is a file, where a folder belongs");
    expect(readTree(site)).toEqual(new Map([["api", "mine"]]));
  });

  test("refuses a folder inside the releases, however it is named", async () => {
    await buildUsers(folder, 25);
    symlinkSync("dist", join(folder, "alias"));
    const before = readTree(join(dist, "releases"));
    for (const target of ["dist", "dist/releases/x", "dist/current", "alias/new/site", "dist/../dist"])
      await expect(publish({ dist, target: join(folder, target) }), target).rejects.toThrow("is inside");
    expect(readTree(join(dist, "releases"))).toEqual(before);
  });

  test("refuses an unknown kind of address, and a target that is a file", async () => {
    await buildUsers(folder, 25);
    await expect(publishSite({ target: "gs://bucket" })).rejects.toThrow("neither a folder nor s3://");
    writeFileSync(site, "mine");
    await expect(publishSite()).rejects.toThrow("site is a file, where a folder belongs");
  });
});
