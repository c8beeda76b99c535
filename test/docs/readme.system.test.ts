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
const OPTIONS = {
  build: {
    ...{ db: true, baseUrl: true, dist: true, contract: true, table: true, query: true, pageSize: true, links: true },
    sourceFormat: true,
    separator: true,
    quote: true,
    encoding: true,
    ...{ encodings: true, defaultAvatar: true, keep: true, skipInvalid: true, gates: true },
    problemsFile: true,
    workers: true,
    now: true,
    onProgress: true,
    signal: true,
    ...{ signKey: true, signPassword: true },
    ...{
      adapt: true,
      bulk: true,
      changes: true,
      csv: true,
      lookup: true,
      explorer: true,
      basePath: true,
      cacheControl: true,
      join: true,
      force: true,
    },
  } satisfies Names<BuildOptions & BuildEffects>,
  diff: {
    ...{ old: true, new: true, dist: true, only: true, ignore: true, gates: true, workers: true },
    ...{ baseUrl: true, pageSize: true, contract: true, table: true, query: true, defaultAvatar: true },
    sourceFormat: true,
    separator: true,
    quote: true,
    encoding: true,
    links: true,
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
    listenPort: true,
    address: true,
    cacheControl: true,
    cwd: true,
  } satisfies Names<AdaptOptions & AdaptEffects>,
  publish: {
    ...{ dist: true, target: true, release: true, force: true, expect: true, dryRun: true },
    ...{ purgeList: true, endpoint: true, cacheControl: true, now: true, onProgress: true },
    onStep: true,
    signal: true,
  } satisfies Names<PublishOptions & PublishEffects>,
  mirror: {
    url: true,
    file: true,
    key: true,
    maxAge: true,
    onProgress: true,
    signal: true,
    cwd: true,
  } satisfies Names<MirrorOptions & MirrorEffects>,
  init: {
    from: true,
    table: true,
    query: true,
    sourceFormat: true,
    separator: true,
    quote: true,
    encoding: true,
    null: true,
    convert: true,
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
