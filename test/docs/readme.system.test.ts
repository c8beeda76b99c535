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
import type { VerbName } from "../../src/settings/kinds.js";
import { optionKeys } from "../../src/settings/settings.js";
import { runSql } from "../support/database.js";
import { clone, docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { scratch } from "../support/files.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { blocks, expectFiles, expectShown } = docPage("README.md");
const LIBRARY = readFileSync(join(ROOT, "docs/reference/library.md"), "utf8");

test("README.md: every command prints what is shown, and the release is the one that is shown", async () => {
  const [cwd, env] = [scratch(), readerEnvironment()];
  const part = "Your own file";
  sh(docPage("docs/guides/start.md").block("Look at a file"), cwd, env);
  const [dev = "", init = "", build = "", ...others] = blocks(part);
  expect(others).toEqual([]);
  const { output } = await started(dev, "--from stations.csv\n", cwd, env);
  expectShown(part, "text", 0, output());
  for (const [at, command] of [init, build].entries()) {
    const { status, stdout, stderr } = sh(command, cwd, env);
    expect([status, stdout]).toEqual([0, ""]);
    expectShown(part, "text", at + 1, stderr);
  }
  const release = join(cwd, "dist/current");
  expectShown("", "json", 0, readFileSync(join(release, "stations/pages/1.json"), "utf8"));
  expectFiles("", release);
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

const VERBS: Readonly<Record<string, VerbName>> = {
  build: "build",
  diff: "diff",
  verify: "verify",
  createServer: "serve",
  adapt: "host",
  publish: "publish",
  mirror: "mirror",
  init: "init",
};

test("the library's options are its verb's settings and those in the table, and no others", () => {
  const [table = ""] = LIBRARY.split("| of | result |");
  let name = "";
  const named: Record<string, string[]> = {};
  for (const [, of = "", options = ""] of table.matchAll(/^\|([^|]*)\|([^|]*)\|/gm)) {
    name = /`(\w+)`/.exec(of)?.[1] ?? name;
    if (name === "") continue;
    const verb = VERBS[name];
    const others = [...options.matchAll(/`(\w+)`/g)].map(([, option = ""]) => option);
    named[name] = [...(named[name] ?? (verb ? optionKeys(verb) : [])), ...others];
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
