/** Durability: every file and folder of a release is flushed before the release gets its name. */
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openRelease } from "../../../src/core/release/open.js";
import { build } from "../../../src/index.js";
import { insertUsers, plainRows, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { isMissing } from "../../support/installed.js";
import { listCalls } from "../../support/strace.js";

const baseUrl = "https://a.example";

test.skipIf(isMissing("strace"))(
  "a build flushes all files before their names, and replaces current by one rename",
  async () => {
    const folder = scratch();
    const db = join(folder, "users.sqlite");
    writeUsers(db, plainRows(7));
    await build({ db, dist: join(folder, "dist"), baseUrl, workers: 0 });
    const source = new Database(db);
    insertUsers(source, plainRows(20).slice(7));
    source.close();
    const flags = [
      "--page-size=5",
      "--workers=0",
      "--compress=br,gzip",
      "--bulk",
      "--lookup",
      "--changes=3",
      "--explorer",
    ];
    const args = [
      "build",
      `--db=${db}`,
      `--dist=${join(folder, "dist")}`,
      `--base-url=${baseUrl}`,
      ...flags,
      "--quiet",
    ];
    const [ended, calls] = await listCalls(args, folder);
    expect(ended).toMatchObject({ code: 0, stderr: "" });

    const staging = join(folder, "dist/.staging");
    const named = calls.findIndex(({ name, path }) => name.startsWith("rename") && path === staging);
    const flushed = new Set(
      calls.slice(0, named).flatMap(({ name, path }) => (/^f(data)?sync$/.test(name) ? [path] : [])),
    );
    const { folder: release } = await openRelease(join(folder, "dist/current"));
    const all = [...readTree(release).keys()];
    // Linked files were flushed by the previous release.
    const files = all.filter((file) => statSync(join(release, file)).nlink === 1);
    expect(all.filter((file) => !files.includes(file))).toEqual(["avatar.svg", "contract.json"]);
    expect(files).toContain("SHA256SUMS");
    const folders = files.map((file) => join(staging, file, ".."));
    const needed = [...files.map((file) => join(staging, file)), ...folders];
    expect(needed.filter((path) => !flushed.has(path))).toEqual([]);

    const behind = calls.slice(named + 1);
    const releases = behind.findIndex(({ name, path }) => name === "fsync" && path === join(folder, "dist/releases"));
    const switched = behind.findIndex(({ name, text }) => name.startsWith("rename") && text.includes(`dist/current"`));
    expect(releases).toBeGreaterThanOrEqual(0);
    expect(switched).toBeGreaterThan(releases);
    expect(behind.slice(switched).some(({ name, path }) => name === "fsync" && path === join(folder, "dist"))).toBe(
      true,
    );
    const current = join(folder, "dist/current");
    const changes = calls.filter(({ name, path }) => path === current && /^(unlink|rename|symlink|rmdir)/.test(name));
    expect(changes.map(({ text }) => text)).toEqual([]);
  },
);
