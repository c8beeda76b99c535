/** A listing at its base URL itself, whose contract names no path, through every verb and the client. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { diff } from "../src/index.js";
import { run, start } from "./support/command.js";
import { readTree, scratch } from "./support/files.js";
import { freePort } from "./support/ports.js";
import { STATIONS, type Station, stations, writeStations } from "./support/stations.js";
import { eventually } from "./support/until.js";

const { path: _, ...LISTING } = STATIONS["x-listing"];
const CONTRACT = { ...STATIONS, "x-listing": LISTING };
const COUNT = 11;

/** A folder with a source, a contract and a config file for a base URL of this path, and how commands are run there. */
async function project(base: string, settings: object = {}) {
  const cwd = scratch();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}${base}`;
  const config = { db: "stations.sqlite", baseUrl, pageSize: 4, explorer: true, bulk: true, changes: 3, ...settings };
  writeFileSync(join(cwd, "rollcall.config.json"), JSON.stringify(config));
  writeFileSync(join(cwd, "rollcall.contract.json"), JSON.stringify(CONTRACT));
  const write = (some: readonly Station[]) => {
    rmSync(join(cwd, "stations.sqlite"), { force: true });
    writeStations(
      join(cwd, "stations.sqlite"),
      some.map(({ row }) => row),
    );
  };
  write(stations(COUNT));
  /** Runs a command that must succeed. */
  const done = async (line: string) => {
    const { code, stdout, stderr } = await run(line.split(" "), { cwd });
    expect(code, `${line}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  const json = async (line: string) => JSON.parse(await done(`${line} --json`));
  return { cwd, port, baseUrl, write, done, json };
}

/** Serves the releases of a folder until the test ends. @returns what it says when it listens */
async function served(cwd: string, port: number) {
  const { child, ended } = start(["serve", "--port", `${port}`, "--json"], { cwd });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const [said] = await once(child.stdout, "data");
  return JSON.parse(String(said));
}

describe.each(["", "/weather/data"])("below %j", (base) => {
  test("is built, served, verified, compared, mirrored and published", async () => {
    const { cwd, port, baseUrl, write, done, json } = await project(base, { compress: ["br", "gzip"] });
    const first = await json("build");
    expect(first).toMatchObject({ explorer: `${baseUrl}/index.html`, pages: 3 });
    const pages = [...readTree(first.folder.replace(/^dist/, join(cwd, "dist"))).keys()].filter((path) =>
      /^pages\//.test(path),
    );
    expect(pages).toHaveLength(9);
    const mirrored = `mirror ${baseUrl} stations.mirror.sqlite`;

    const said = await served(cwd, port);
    expect(said).toMatchObject({
      url: baseUrl,
      listing: `${baseUrl}/?format=api&page=1`,
      explorer: `${baseUrl}/index.html`,
    });
    await done(mirrored);
    write(stations(COUNT + 2));
    const second = await json("build");
    await done("verify");
    const currentId = async () => (await (await fetch(`${baseUrl}/snapshot.json`)).json()).id;
    await eventually(async () => expect(await currentId()).toBe(second.id));
    for (const how of ["", " --dist none"]) {
      const { rows } = await json(`verify ${baseUrl}${how}`);
      const wrong = rows.filter(({ outcome }: { outcome: string }) => outcome === "differs");
      expect(wrong).toEqual([]);
    }

    expect(await json(mirrored)).toMatchObject({ tables: [{ via: "changes", put: 2, table: "stations" }] });
    const db = new Database(join(cwd, "stations.mirror.sqlite"), { readonly: true });
    expect(db.prepare("SELECT count(*) AS count FROM stations").get()).toEqual({ count: COUNT + 2 });
    db.close();

    await done("publish site");
    await done("verify site");
    expect(readFileSync(join(cwd, "site/pages/1.json"))).toEqual(readFileSync(join(cwd, "dist/current/pages/1.json")));
    execFileSync("git", ["init", "-q"], { cwd });
    execFileSync("git", ["add", "site"], { cwd });
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "Publish"], { cwd });
    const explorer = `${baseUrl}/index.html`;
    for (const [old, added] of [
      [first.id, 2],
      ["git:HEAD:site", 0],
    ] as const) {
      const changes = await diff({ old, new: baseUrl, dist: join(cwd, "dist") }, { cwd });
      expect(changes).toMatchObject({ added, removed: 0, changed: 0, old: { explorer }, new: { explorer } });
      changes.close();
    }
  });
});

test("is built by shards as by one machine, and shown by dev", async () => {
  const { cwd, json, done } = await project("/weather");
  const { id } = await json("build");
  for (const number of [0, 1, 2]) await done(`build --shard ${number}/3 --parts parts`);
  expect(await json("build --join parts --dist joined")).toMatchObject({ id });
  const { child, ended } = start(["dev", "--port", "0", "--json"], { cwd });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await eventually(() => expect(said).toContain('"built"'));
  const { url } = JSON.parse(said.split("\n")[1] ?? "");
  expect(url).toMatch(/\/weather\/index\.html$/);
  expect((await fetch(url)).headers.get("Content-Type")).toBe("text/html; charset=utf-8");
});
