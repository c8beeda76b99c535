/** README.md and docs/reference/library.md against the program: commands run word for word, tables of options are the types'. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parseContract } from "../../src/contract/file/parse.js";
import { toSql } from "../../src/contract/sql.js";
import type {
  AdaptEffects,
  AdaptOptions,
  BuildEffects,
  BuildOptions,
  DiffEffects,
  DiffOptions,
  InitOptions,
  MirrorEffects,
  MirrorOptions,
  PublishEffects,
  PublishOptions,
  ServerEffects,
  ServerOptions,
  UseEffects,
  VerifyEffects,
  VerifyOptions,
} from "../../src/index.js";
import { build } from "../../src/index.js";
import { plainRows, runSql, writeUsers } from "../support/database.js";
import { clone, commandsOf, environment, sh } from "../support/docs.js";
import { readTree, scratch } from "../support/files.js";
import { eventually } from "../support/until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const LIBRARY = readFileSync(join(ROOT, "docs/reference/library.md"), "utf8");

/** The part of the README below a heading. */
function section(heading: string): string {
  return README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
}

/** Starts a command that goes on until the test ends, and resolves with what it has said when it has said this. */
async function started(command: string, word: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  onTestFinished(async () => {
    // The shell, npx and the host.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await eventually(() => expect(said).toContain(word));
  return said;
}

test("working on one's own users works word for word in a clone", { timeout: 90_000 }, async () => {
  const [cwd, env] = [clone(), environment()];
  const [dev = "", ...others] = commandsOf(section("While you work"));
  expect(others).toEqual([]);
  const file = "path/to/your/users.sqlite";
  mkdirSync(join(cwd, dirname(file)), { recursive: true });
  writeUsers(join(cwd, file), plainRows(3));
  const said = await started(dev, "ready", cwd, env);
  const url = /http:\/\/\S+/.exec(said)?.[0] ?? "";
  const page = await (await fetch(`${url}api/users/`)).json();
  expect(page).toMatchObject({ count: 3, next: null });
});

test("publishing one's own users works word for word in a clone", { timeout: 60_000 }, async () => {
  const [cwd, env] = [clone(), environment()];
  const [init = "", build = "", serve = "", own = "", ...others] = commandsOf(section("Publish your own users"));
  expect(others).toEqual([]);
  const type = (command: string) =>
    execFileSync(
      "sh",
      [
        "-c",
        `exec 2>&1
${command}`,
      ],
      { cwd, env, encoding: "utf8" },
    );
  expect(type(init)).toContain("rollcall.config.json");
  expect(type(build)).toContain("1,000 users");

  const said = await started(serve, "curl", cwd, env);
  const url = /curl '([^']+)'/.exec(said)?.[1] ?? "";
  expect(await (await fetch(url)).json()).toMatchObject({ count: 1000 });

  const file = "path/to/your/users.sqlite";
  mkdirSync(join(cwd, dirname(file)), { recursive: true });
  writeUsers(join(cwd, file), plainRows(3));
  expect(type(own)).toContain("3 users");
});

test("publishing any other table works word for word, also with the contract that is shown", {
  timeout: 60_000,
}, () => {
  const [cwd, env] = [clone(), environment()];
  const part = section("Publish any other table");
  const contract = /```json\n(.*?)```/s.exec(part)?.[1] ?? "";
  const read = parseContract(contract);
  if ("mistakes" in read) throw new Error(read.mistakes.join("\n"));
  runSql(
    join(cwd, "stations.sqlite"),
    `${toSql(read)}; INSERT INTO stations (code, name, country, opened, readings)
    VALUES ('ST0001', 'Sonnblick', 'AT', '1886-09-02', 12), ('ST0002', 'Fichtelberg', 'DE', '1916-01-01', 7)`,
  );

  const [init = "", build = "", ...others] = commandsOf(part);
  expect(others).toEqual([]);
  expect(sh(init, cwd, env)).toMatchObject({ status: 0, stderr: expect.stringContaining("rollcall.contract.json") });
  expect(sh(build, cwd, env)).toMatchObject({ status: 0, stderr: expect.stringContaining("2 stations") });
  writeFileSync(join(cwd, "rollcall.contract.json"), contract);
  expect(sh(build, cwd, env)).toMatchObject({ status: 0 });
  const page = JSON.parse(readFileSync(join(cwd, "dist/current/stations/pages/1.json"), "utf8"));
  expect(page.results.map(({ name }: { name: string }) => name)).toEqual(["Sonnblick", "Fichtelberg"]);
});

test("the record that the README shows is published from the sample, byte for byte", async () => {
  const dist = scratch();
  const shown = /```json\n([^`]*)```/.exec(README)?.[1]?.replaceAll("\n ", "").trim() ?? "";
  const { folder } = await build({
    db: join(ROOT, "data/users.sqlite"),
    baseUrl: "https://directory.example.com",
    dist,
  });
  const pages = readTree(join(folder, "api"));
  expect([...pages.values()].filter((text) => text.includes(shown))).toHaveLength(1);
  expect(JSON.parse(shown)).toHaveProperty("wac_status");
});

type Names<T> = Record<keyof T, true>;

/** Every option there is, by what takes it: the types see to it that none is missing and none made up. */
const OPTIONS = {
  build: {
    ...{ db: true, baseUrl: true, dist: true, contract: true, table: true, query: true, pageSize: true, links: true },
    ...{ encodings: true, defaultAvatar: true, keep: true, skipInvalid: true, gates: true },
    ...{ problemsFile: true, extraFiles: true, workers: true, now: true, onProgress: true, signal: true },
    ...{ signKey: true, signPassword: true },
    ...{
      adapt: true,
      bulk: true,
      changes: true,
      csv: true,
      lookup: true,
      explorer: true,
      root: true,
      basePath: true,
      origin: true,
      cacheControl: true,
      join: true,
    },
  } satisfies Names<BuildOptions & BuildEffects>,
  diff: {
    ...{ old: true, new: true, dist: true, only: true, ignore: true, gates: true, workers: true },
    ...{ baseUrl: true, pageSize: true, contract: true, table: true, query: true, defaultAvatar: true },
    ...{ links: true },
    ...{ skipInvalid: true, lookup: true, explorer: true },
    ...{ onProgress: true, signal: true, cwd: true, scratch: true },
  } satisfies Names<DiffOptions & DiffEffects>,
  verify: {
    ...{ what: true, dist: true, workers: true, against: true, sample: true, allow: true, adapt: true },
    ...{ concurrency: true, rate: true, cacheControl: true, onProgress: true, signal: true, cwd: true },
    ...{ key: true, maxAge: true },
  } satisfies Names<VerifyOptions & VerifyEffects>,
  createServer: {
    ...{ folder: true, cacheControl: true, cacheMb: true },
    ...{ log: true, access: true, onSwitch: true },
  } satisfies Names<ServerOptions & ServerEffects>,
  adapt: {
    ...{ dist: true, release: true, write: true, root: true, serverName: true, basePath: true },
    ...{ listenPort: true, address: true, origin: true, cacheControl: true, cwd: true },
  } satisfies Names<AdaptOptions & AdaptEffects>,
  publish: {
    ...{ dist: true, target: true, release: true, force: true, expect: true, dryRun: true },
    ...{ purgeList: true, endpoint: true, cacheControl: true, now: true, onProgress: true },
    ...{ onStep: true, signal: true, shard: true },
  } satisfies Names<PublishOptions & PublishEffects>,
  mirror: {
    ...{ url: true, file: true, key: true, maxAge: true, every: true },
    ...{ onProgress: true, onSynced: true, onTrouble: true, signal: true, cwd: true },
  } satisfies Names<MirrorOptions & MirrorEffects>,
  init: {
    from: true,
    table: true,
    query: true,
    words: true,
    title: true,
    path: true,
    signal: true,
  } satisfies Names<InitOptions>,
  useRelease: { now: true, cwd: true, signal: true } satisfies Names<UseEffects>,
};

test("the library's table names every option of each verb, and no other", () => {
  const [table = ""] = LIBRARY.split("| of | result |");
  let verb = "";
  const named: Record<string, string[]> = {};
  for (const [, of = "", options = ""] of table.matchAll(/^\|([^|]*)\|([^|]*)\|/gm)) {
    verb = /`(\w+)`/.exec(of)?.[1] ?? verb;
    const names = [...options.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    if (verb !== "") named[verb] = [...(named[verb] ?? []), ...names];
  }
  const sorted = (names: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(names).map(([of, list]) => [of, [...list].sort()]));
  const wanted = Object.entries(OPTIONS).map(([of, names]) => [of, Object.keys(names)]);
  expect(sorted(named)).toEqual(sorted(Object.fromEntries(wanted)));
});

test("a program with a contract of its own is typed, and runs", { timeout: 60_000 }, () => {
  const folder = clone();
  const [, program = ""] = [...LIBRARY.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);
  const types = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
  const compilerOptions = { target: "es2023", module: "nodenext", strict: true, skipLibCheck: true, ...types };
  writeFileSync(join(folder, "program.ts"), program);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  runSql(
    join(folder, "stations.sqlite"),
    "CREATE TABLE stations (code, name, closed); INSERT INTO stations VALUES ('ST02', 'B', NULL), ('ST01', 'A', NULL)",
  );
  execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { stdio: "pipe" });
  const printed = execFileSync(process.execPath, ["program.js"], { cwd: folder, encoding: "utf8" });
  expect(printed).toBe("2 stations; A comes first\n");
});
