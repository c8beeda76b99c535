/** README.md and docs/reference/library.md against the program: commands run word for word, tables of options are the types'. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type {
  AdaptEffects,
  AdaptOptions,
  BuildEffects,
  BuildOptions,
  DiffEffects,
  DiffOptions,
  InitEffects,
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
import { runSql } from "../support/database.js";
import { clone, docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { isMissing } from "../support/installed.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { blocks, expectFiles, expectShown } = docPage("README.md");
const LIBRARY = readFileSync(join(ROOT, "docs/reference/library.md"), "utf8");

test("README.md: the commands for a file print what is shown, and the release is the one that is shown", async () => {
  const cwd = clone();
  const env = readerEnvironment();
  const part = "A file";
  const [dev = "", build = "", ...others] = blocks(part);
  expect(others).toEqual([]);
  const { output } = await started(dev, "--from data/stations.csv\n", cwd, env);
  expectShown(part, "text", 0, output());
  const { status, stdout, stderr } = sh(build, cwd, env);
  expect([status, stdout]).toEqual([0, ""]);
  expectShown(part, "text", 1, stderr);
  const release = join(cwd, "../stations/dist/current");
  expectShown("", "json", 0, readFileSync(join(release, "stations/pages/1.json"), "utf8"));
  expectFiles("", release);
});

test.skipIf(isMissing("sqlite3"))("README.md: dev shows the tables, and which refers to which", async () => {
  const cwd = clone();
  const [dev = "", ...others] = blocks("Several tables");
  expect(others).toEqual([]);
  const { output } = await started(dev, "--from shop.db --all\n", cwd, readerEnvironment());
  const url = /http:\S+/.exec(output())?.[0] ?? "";
  expect(await (await fetch(url)).text()).toContain("customer_id refers to");
});

type Names<T> = Record<keyof T, true>;

/** Every option there is, by what takes it: the types see to it that none is missing and none made up. */
const OPTIONS: Record<string, readonly string[]> = {
  build: Object.keys({
    adapt: true,
    basePath: true,
    baseUrl: true,
    bulk: true,
    cacheControl: true,
    changes: true,
    compress: true,
    contract: true,
    csv: true,
    db: true,
    defaultAvatar: true,
    dist: true,
    encoding: true,
    explorer: true,
    force: true,
    join: true,
    keep: true,
    links: true,
    listings: true,
    lookup: true,
    maxAdded: true,
    maxChanged: true,
    maxField: true,
    maxRemoved: true,
    now: true,
    onProgress: true,
    pageSize: true,
    problems: true,
    query: true,
    quote: true,
    separator: true,
    signKey: true,
    signPassword: true,
    signal: true,
    skipInvalid: true,
    sourceFormat: true,
    table: true,
    workers: true,
  } satisfies Names<BuildOptions & BuildEffects>),
  diff: Object.keys({
    baseUrl: true,
    contract: true,
    cwd: true,
    defaultAvatar: true,
    dist: true,
    encoding: true,
    explorer: true,
    ignore: true,
    links: true,
    listing: true,
    listings: true,
    lookup: true,
    maxAdded: true,
    maxChanged: true,
    maxField: true,
    maxRemoved: true,
    new: true,
    old: true,
    onProgress: true,
    only: true,
    pageSize: true,
    query: true,
    quote: true,
    separator: true,
    signal: true,
    skipInvalid: true,
    sourceFormat: true,
    table: true,
    workers: true,
  } satisfies Names<DiffOptions & DiffEffects>),
  verify: Object.keys({
    adapt: true,
    against: true,
    allow: true,
    cacheControl: true,
    concurrency: true,
    cwd: true,
    dist: true,
    key: true,
    maxAge: true,
    onProgress: true,
    rate: true,
    sample: true,
    signal: true,
    what: true,
    workers: true,
  } satisfies Names<VerifyOptions & VerifyEffects>),
  createServer: Object.keys({
    access: true,
    cacheControl: true,
    cacheMb: true,
    dist: true,
    log: true,
    onSwitch: true,
  } satisfies Names<ServerOptions & ServerEffects>),
  adapt: Object.keys({
    address: true,
    basePath: true,
    cacheControl: true,
    cwd: true,
    dist: true,
    listenPort: true,
    name: true,
    release: true,
    root: true,
    serverName: true,
    write: true,
  } satisfies Names<AdaptOptions & AdaptEffects>),
  publish: Object.keys({
    cacheControl: true,
    dist: true,
    dryRun: true,
    endpoint: true,
    expect: true,
    force: true,
    now: true,
    onProgress: true,
    onStep: true,
    purgeList: true,
    release: true,
    signal: true,
    target: true,
  } satisfies Names<PublishOptions & PublishEffects>),
  mirror: Object.keys({
    cwd: true,
    file: true,
    key: true,
    maxAge: true,
    onProgress: true,
    signal: true,
    url: true,
  } satisfies Names<MirrorOptions & MirrorEffects>),
  init: Object.keys({
    allTables: true,
    convert: true,
    encoding: true,
    folder: true,
    from: true,
    null: true,
    query: true,
    quote: true,
    separator: true,
    signal: true,
    sourceFormat: true,
    table: true,
  } satisfies Names<InitOptions & InitEffects>),
  useRelease: Object.keys({
    cwd: true,
    now: true,
    signal: true,
  } satisfies Names<UseEffects>),
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
  expect(sorted(named)).toEqual(sorted(OPTIONS));
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
