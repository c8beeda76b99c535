/** README.md and docs/reference/library.md against the program: commands run word for word, tables of options are the types'. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { VerbName } from "../../src/core/settings/kinds.js";
import { optionKeys, type SettingKey } from "../../src/core/settings/settings.js";
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

/** Options that are not settings. The types see to it that none is missing and none made up. */
type Others<T> = Record<Exclude<keyof T, SettingKey>, true>;

const BUILD: Others<BuildOptions & BuildEffects> = { now: true, onProgress: true, signPassword: true, signal: true };
const DIFF: Others<DiffOptions & DiffEffects> = {
  cwd: true,
  new: true,
  old: true,
  onNote: true,
  onProgress: true,
  signal: true,
};
const VERIFY: Others<VerifyOptions & VerifyEffects> = { cwd: true, onProgress: true, signal: true, what: true };
const SERVER: Others<ServerOptions & ServerEffects> = { access: true, log: true, onSwitch: true };
const ADAPT: Others<AdaptOptions & AdaptEffects> = { cwd: true, name: true };
const PUBLISH: Others<PublishOptions & PublishEffects> = {
  now: true,
  onProgress: true,
  onStep: true,
  signal: true,
  target: true,
};
const MIRROR: Others<MirrorOptions & MirrorEffects> = {
  cwd: true,
  file: true,
  onProgress: true,
  signal: true,
  url: true,
};
const INIT: Others<InitOptions & InitEffects> = { folder: true, signal: true };
const USE: Others<UseEffects> = { cwd: true, now: true, signal: true };

/** Every option there is, by what takes it. */
const OPTIONS: Record<string, readonly string[]> = {
  build: [...optionKeys("build"), ...Object.keys(BUILD)],
  diff: [...optionKeys("diff"), ...Object.keys(DIFF)],
  verify: [...optionKeys("verify"), ...Object.keys(VERIFY)],
  createServer: [...optionKeys("serve"), ...Object.keys(SERVER)],
  adapt: [...optionKeys("host"), ...Object.keys(ADAPT)],
  publish: [...optionKeys("publish"), ...Object.keys(PUBLISH)],
  mirror: [...optionKeys("mirror"), ...Object.keys(MIRROR)],
  init: [...optionKeys("init"), ...Object.keys(INIT)],
  useRelease: Object.keys(USE),
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
  const named: Record<string, string[]> = {};
  for (const [, of = "", options = ""] of table.matchAll(/^\|([^|]*)\|(.*)\|$/gm)) {
    const [, name] = /`(\w+)`/.exec(of) ?? [];
    if (name === undefined) continue;
    const verb = VERBS[name];
    const others = [...options.matchAll(/`(\w+)`/g)].map(([, option = ""]) => option);
    named[name] = [...(verb ? optionKeys(verb) : []), ...others];
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
