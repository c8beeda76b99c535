/** Releases over time: links, retention, switches, refusals. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findDamage } from "../../../src/core/release/open.js";
import { type BuildOptions, build, listReleases, openRelease, useRelease } from "../../../src/index.js";
import { plainRows, runSql, userId, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";

let folder: string;
let db: string;
let dist: string;
let clock: Date;

beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
  db = writeUsers(join(folder, "users.sqlite"), plainRows(25));
  clock = new Date("2026-11-21T03:40:00.500Z");
});

/** Builds with ten users a page; each build is an hour after the last. */
async function publish(options: Partial<BuildOptions> = {}) {
  clock = new Date(clock.getTime() + 3_600_000);
  const now = () => clock;
  return build({ db, dist: dist, baseUrl: "https://directory.example.com", pageSize: 10, ...options }, { now });
}

function edit(sql: string): void {
  runSql(db, sql);
}

const rename = (number: number, name: string) =>
  edit(`UPDATE users SET username = '${name}' WHERE id = '${userId(number)}'`);
const inode = (path: string) => statSync(join(dist, path)).ino;

describe("a release on disk", () => {
  test("has the documented layout, and sha256sum accepts it", async () => {
    const release = await publish({ compress: ["gzip", "br"] });
    expect(release.name).toBe(`20261121T044000Z-${release.id}`);
    expect(readlinkSync(join(dist, "current"))).toBe(`releases/${release.name}`);
    const pages = [1, 2, 3].flatMap((page) =>
      ["", ".br", ".gz"].map((ending) => `api/users/pages/${page}.json${ending}`),
    );
    expect([...readTree(join(dist, "current/")).keys()]).toEqual(
      ["SHA256SUMS", ...pages, "avatar.svg", "contract.json", "openapi.json", "snapshot.json", "records.sha256"].sort(),
    );
    execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: release.folder });
    expect(readFileSync(join(release.folder, "SHA256SUMS"), "utf8").split("\n")).toHaveLength(9 + 5 + 1);
    expect(JSON.parse(readFileSync(join(release.folder, "snapshot.json"), "utf8"))).toEqual({
      base_url: "https://directory.example.com",
      contract: 1,
      count: 25,
      encodings: ["br", "gzip"],
      id: release.id,
      links: "query",
      page_size: 10,
      pages: 3,
      skipped: 0,
      state: createHash("sha256")
        .update(readFileSync(join(release.folder, "records.sha256")))
        .digest("hex"),
      warnings: {},
    });
  });

  test("has the same bytes in another folder, time zone and locale, and when built later", async () => {
    const first = await publish();
    const second = join(folder, "elsewhere", "deep", "dist");
    const script = `
      import { build } from "./lib/index.js";
      const [, db, dist] = process.argv;
      const { id } = await build({ db, dist, baseUrl: "https://directory.example.com", pageSize: 10 });
      console.log(id);`;
    const output = execFileSync("node", ["--input-type=module", "-e", script, db, second], {
      env: { ...process.env, TZ: "Pacific/Chatham", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
      encoding: "utf8",
    });
    expect(output.trim()).toBe(first.id);
    expect(readTree(join(second, "current/"))).toEqual(readTree(join(dist, "current/")));
  });
});

describe("the next build", () => {
  test("removes what killed builds have left", async () => {
    await publish();
    for (const name of [".staging", ".trash-20261121T034000Z-1f6a9c0d2b7e"]) mkdirSync(join(dist, name));
    await publish();
    expect(readdirSync(dist).sort()).toEqual([
      ".lock",
      ".lock-holder.json",
      ".newest-time",
      ".source-columns.json",
      "current",
      "releases",
    ]);
  });

  test("of unchanged data makes no new release", async () => {
    const first = await publish({ compress: ["gzip"] });
    const second = await publish({ compress: ["gzip"] });
    expect(second).toMatchObject({ new: false, id: first.id, name: first.name, linked: 6 });
    expect(readdirSync(join(dist, "releases"))).toEqual([first.name]);
    expect(readdirSync(dist).sort()).toEqual([
      ".lock",
      ".lock-holder.json",
      ".newest-time",
      ".source-columns.json",
      "current",
      "releases",
    ]);
  });

  test("links unchanged files, with their time, and writes changed ones", async () => {
    const first = await publish({ compress: ["gzip"] });
    rename(15, "renamed");
    const second = await publish({ compress: ["gzip"] });
    expect(second).toMatchObject({ new: true, linked: 4, pages: 3 });
    const same = (path: string) => inode(`releases/${first.name}/${path}`) === inode(`releases/${second.name}/${path}`);
    expect([1, 2, 3].map((page) => same(`api/users/pages/${page}.json`))).toEqual([true, false, true]);
    expect([1, 2, 3].map((page) => same(`api/users/pages/${page}.json.gz`))).toEqual([true, false, true]);
  });

  test("does not link a damaged file, and replaces a damaged release although no data changed", async () => {
    const first = await publish({ compress: ["gzip"] });
    const paths = ["api/users/pages/2.json", "api/users/pages/3.json.gz"];
    const before = paths.map((path) => readFileSync(join(first.folder, path)));
    for (const [at, path] of paths.entries()) {
      unlinkSync(join(first.folder, path));
      const damaged = before[at]?.map((byte, index) => (index === 99 ? byte ^ 1 : byte));
      writeFileSync(join(first.folder, path), damaged ?? "");
    }
    const second = await publish({ compress: ["gzip"] });
    expect(second).toMatchObject({ new: true, id: first.id, linked: 4 });
    expect(paths.map((path) => readFileSync(join(second.folder, path)))).toEqual(before);

    writeFileSync(join(second.folder, "avatar.svg"), "<svg/>");
    expect(await publish({ compress: ["gzip"] })).toMatchObject({ new: true, id: first.id });
    expect(await publish({ compress: ["gzip"] })).toMatchObject({ new: false, id: first.id });
  });

  test("has another id for options that change the data, and the same id for others", async () => {
    const { id } = await publish();
    const differing: Partial<BuildOptions>[] = [
      { baseUrl: "https://other.example.com" },
      { pageSize: 25 },
      { links: "path" },
      { compress: ["br"] },
    ];
    const ids = new Set([id]);
    for (const options of differing) ids.add((await publish({ ...options, force: true })).id);
    expect(ids.size).toBe(5);
    const same = { keep: 9, skipInvalid: true, lookup: true, defaultAvatar: "https://a.example/a.png" };
    expect((await publish({ ...same, baseUrl: "https://Directory.example.com/" })).id).toBe(id);
  });

  test("of earlier data switches back to its release", async () => {
    const first = await publish();
    rename(1, "b");
    const second = await publish();
    rename(1, "user1");
    const third = await publish();
    expect(third).toMatchObject({ id: first.id, name: first.name, new: false, switched: true });
    expect(readlinkSync(join(dist, "current"))).toBe(`releases/${first.name}`);
    expect(readdirSync(join(dist, "releases"))).toEqual([first.name, second.name]);
    unlinkSync(join(dist, "current"));
    expect(await publish()).toMatchObject({ name: first.name, new: false, switched: true });
    expect(await publish()).toMatchObject({ name: first.name, new: false, switched: false });
  });
});

describe("retention", () => {
  test("keeps the newest and the current one, and removes all traces of the others", async () => {
    const names: string[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      rename(1, name);
      names.push((await publish({ keep: 9 })).name);
    }
    for (const name of names) utimesSync(join(dist, "releases", name), 0, 0);
    rename(1, "e");
    const last = await publish({ keep: 2 });
    expect(last.pruned).toEqual([names[1], names[0]]);
    expect(readdirSync(join(dist, "releases"))).toEqual([names[2], names[3], last.name]);
    expect(readdirSync(dist).filter((name) => name.startsWith(".trash"))).toEqual([]);
    await openRelease(join(dist, "releases", names[2] ?? ""));
  });

  test("keeps an old current release, and one that was current in the last minute", async () => {
    const first = await publish();
    rename(1, "b");
    const second = await publish();
    rename(1, "c");
    const third = await publish({ keep: 0 });
    // Marked as current until this very moment; the first, an hour ago by the builds' clock.
    expect(third.pruned).toEqual([first.name]);
    await useRelease(dist, second.id, { now: () => clock });
    rename(1, "d");
    utimesSync(join(dist, "releases", third.name), 0, 0);
    const fourth = await publish({ keep: 0 });
    expect(fourth.pruned).toEqual([third.name]);
    expect(readdirSync(join(dist, "releases"))).toEqual([second.name, fourth.name]);
  });
});

describe("use and releases", () => {
  test("switch back and forth by a unique prefix, and list what there is", async () => {
    const first = await publish();
    rename(1, "b");
    const second = await publish();
    const used = await useRelease(dist, first.id.slice(0, 6));
    expect([used.before?.id, used.now.id]).toEqual([second.id, first.id]);
    expect(readlinkSync(join(dist, "current"))).toBe(`releases/${first.name}`);
    const list = await listReleases(dist);
    expect(list.map(({ name, current, records, pages }) => [name, current, records, pages])).toEqual([
      [second.name, false, 25, 3],
      [first.name, true, 25, 3],
    ]);
    expect(list[0]?.time.toISOString()).toBe("2026-11-21T05:40:00.000Z");
    expect(list[0]?.bytes).toBe([...readTree(second.folder).values(), `${second.name}\n`].join("").length);
    expect((await useRelease(dist, second.name)).now.id).toBe(second.id);
  });

  test("refuse missing, ambiguous and damaged releases; current stays", async () => {
    const first = await publish();
    rename(1, "b");
    const second = await publish();
    await expect(useRelease(dist, "zz")).rejects.toThrow(`ids there are ${second.id}, ${first.id}.`);
    await expect(useRelease(dist, "")).rejects.toThrow('"" is neither');
    await expect(useRelease(dist, "2026")).rejects.toThrow('"2026" is the beginning of 2 releases');
    await expect(useRelease(join(folder, "none"), first.id)).rejects.toThrow("There is no release in");
    expect(existsSync(join(folder, "none"))).toBe(false);
    writeFileSync(join(first.folder, "api/users/pages/3.json"), "[]");
    await expect(useRelease(dist, first.id)).rejects.toThrow("3.json does not match its digest");
    rmSync(join(first.folder, "SHA256SUMS"));
    await expect(useRelease(dist, first.id)).rejects.toThrow("SHA256SUMS: found no file;");
    expect((await listReleases(dist)).map(({ broken }) => broken)).toEqual([
      undefined,
      expect.stringContaining("SHA256SUMS"),
    ]);
    expect(readlinkSync(join(dist, "current"))).toBe(`releases/${second.name}`);
  });

  test("does not replace a folder or file at current", async () => {
    mkdirSync(join(dist, "current"), { recursive: true });
    await expect(publish()).rejects.toThrow("is not a link that Rollcall made; move it away");
    expect(readdirSync(dist).sort()).toEqual([".lock", ".lock-holder.json", "current"]);
    expect(lstatSync(join(dist, "current")).isDirectory()).toBe(true);
  });
});

describe("openRelease", () => {
  const changes: [what: string, change: (release: string) => void, why: string][] = [
    ["a page is gone", (release) => unlinkSync(join(release, "api/users/pages/2.json")), "2.json: found no such file;"],
    [
      "snapshot.json is altered",
      (release) => alter(join(release, "snapshot.json"), '"count":25', '"count":26'),
      "snapshot.json: found other bytes",
    ],
    [
      "snapshot.json has another key",
      (release) => alter(join(release, "snapshot.json"), "{", '{"x":1,'),
      "expected the JSON that Rollcall writes",
    ],
    [
      "snapshot.json is no JSON",
      (release) => writeFileSync(join(release, "snapshot.json"), "{"),
      "expected the JSON that Rollcall writes",
    ],
    [
      "a digest is altered",
      (release) => alter(join(release, "SHA256SUMS"), /^./, (digit) => (digit === "0" ? "1" : "0")),
      "which its content gives",
    ],
    [
      "a line is gone",
      (release) => alter(join(release, "SHA256SUMS"), /^.*\n/, ""),
      "a file that lists 2 page files, not 3",
    ],
    ["a line is there twice", (release) => alter(join(release, "SHA256SUMS"), /^(.*\n)/, "$1$1"), "1.json twice"],
    [
      "a line is cut",
      (release) => alter(join(release, "SHA256SUMS"), /.{70}\n$/, "\n"),
      "not 64 hexadecimal digits, two spaces and a path",
    ],
  ];

  function alter(path: string, from: string | RegExp, to: string | ((match: string) => string)): void {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, typeof to === "string" ? text.replace(from, to) : text.replace(from, to));
    expect(readFileSync(path, "utf8")).not.toBe(text);
  }

  test.each(changes)("is refused when %s", async (_, change, why) => {
    const { folder: release } = await publish();
    change(release);
    await expect(openRelease(release)).rejects.toThrow(why);
  });

  test("findDamage stops between two files when its signal is aborted", async () => {
    const { folder: release } = await publish();
    const stop = new AbortController();
    const checking = findDamage(await openRelease(release), stop.signal);
    setImmediate(() => stop.abort(new Error("stopped between two files")));
    await expect(checking).rejects.toThrow("stopped between two files");
  });

  test("is refused when its pages are elsewhere, or missing", async () => {
    const { folder: release } = await publish();
    execFileSync("mv", [join(release, "api/users/pages"), join(folder, "outside")]);
    symlinkSync(join(folder, "outside"), join(release, "api/users/pages"));
    await expect(openRelease(release)).rejects.toThrow("api/users/pages: found no folder, or a link to one");
    await expect(openRelease(join(folder, "nowhere"))).rejects.toThrow('run "rollcall build" first');
    await expect(openRelease(db)).rejects.toThrow("is a file, not a release's folder");
  });
});
