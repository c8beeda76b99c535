/**
 * The package as its users get it: packed, installed in an empty folder, run and imported there. Where no prebuilt
 * better-sqlite3 can be fetched, installing compiles it, which takes more than a minute.
 */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USERS } from "../src/contract/users.js";
import { engine, isMissing } from "./support/installed.js";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rollcall-package-"));
const options: ExecFileSyncOptionsWithStringEncoding = { cwd: folder, encoding: "utf8", stdio: "pipe" };

beforeAll(() => {
  // The global setup has compiled already; packing again would take lib away from under other runs.
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], {
    ...options,
    cwd: REPOSITORY,
  });
  const [archive = ""] = readdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", `./${archive}`];
  execFileSync("npm", install, options);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const npx = (...command: string[]) => execFileSync("npx", ["--no-install", ...command], options);

const [PUBLINT, ATTW] = [engine(".bin/publint"), engine(".bin/attw")];

test.skipIf(isMissing(PUBLINT, ATTW))("publint and are-the-types-wrong find nothing in the package", () => {
  const archive = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  // Where it thinks that it is in a workflow, it colors what it says.
  const plain = { ...options, env: { ...process.env, NO_COLOR: "1" } };
  expect(execFileSync(PUBLINT, ["run", archive, "--strict"], plain)).toMatch(/All good!\s*$/);
  // The package is of ES modules only: what `require` would get from it is left out, and nothing else.
  const report = JSON.parse(execFileSync(ATTW, [archive, "--profile", "esm-only", "--format", "json"], options));
  expect(Object.keys(report.analysis.entrypoints)).toEqual(expect.arrayContaining([".", "./client"]));
  const found = report.analysis.problems.filter(
    ({ resolutionKind: kind }: { resolutionKind: string }) => kind !== "node10" && kind !== "node16-cjs",
  );
  expect(found).toEqual([]);
});

test("npm takes better-sqlite3 12 on Node 20, which cannot load 13, and 13 on any other", () => {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/better-sqlite3/package.json"), "utf8"));
  expect(version.split(".")[0]).toBe(process.versions.node.startsWith("20.") ? "12" : "13");
});

test("npx rollcall --help is the documented help", () => {
  const help = npx("rollcall", "--help");
  expect(readFileSync(join(REPOSITORY, "docs/commands.md"), "utf8")).toContain(help);
});

test("init and build work out of the box", () => {
  npx("rollcall", "init");
  const built = JSON.parse(npx("rollcall", "build", "--json"));
  expect(built).toMatchObject({ new: true, records: 1000, pages: 10, skipped: 0 });
});

test.each(["cloudflare", "netlify", "cloudfront"])("adapt writes the script for %s", (name) => {
  expect(npx("rollcall", "adapt", name)).toMatch(/^const RULES = \{/m);
});

test("a build for lighttpd writes its script into the release", () => {
  const built = JSON.parse(npx("rollcall", "build", "--adapt", "lighttpd", "--json"));
  expect(readFileSync(join(folder, built.folder, "adapters/rollcall.lua"), "utf8")).toMatch(/^local RULES = \{/m);
});

const PROGRAM = `\
import { build, createServer, openRelease, UserError, type BuildResult, type Server, type Release, type User } from "rollcall";

const result: BuildResult = await build({
  db: "data/users.sqlite", baseUrl: "https://example.com", out: "library", pageSize: 250, encodings: ["gzip"],
});
const release: Release = await openRelease(result.folder);
const host: Server = await createServer({ folder: "library" });
const { url } = await host.listen({ port: 0 });
const answer = await fetch(\`\${url}/api/users/?page=4\`);
const { count, results } = (await answer.json()) as { count: number; results: User[] };
const known: { id: string; default_wallet: string | null; off_chain: { tokens: number } } | undefined = results[0];
// @ts-expect-error: no user has such a field.
results[0]?.nickname;
// @ts-expect-error: no field of one of a few values has this one.
results[0]?.kyc_status === "CONFIMED";
await host.close();
const refusal: unknown = await openRelease("nowhere").catch((error: unknown) => error);
console.log(JSON.stringify({
  pages: release.snapshot.pages, count, id: answer.headers.get("snapshot-id") === result.id,
  refused: refusal instanceof UserError, known: known?.id.length,
}));
`;

/** What the types of a program in node need, and nothing that only this repository has. */
const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [join(REPOSITORY, "node_modules/@types")],
  },
  files: ["program.ts"],
};

test("the library is typed, and runs", () => {
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  execFileSync(join(REPOSITORY, "node_modules/.bin/tsc"), ["-p", folder], options);
  const printed = execFileSync(process.execPath, ["program.js"], options);
  expect(JSON.parse(printed)).toEqual({ pages: 4, count: 1000, id: true, refused: true, known: 36 });
});

test("a user's fields are declared one by one, each with what it means", () => {
  const declared = readFileSync(join(folder, "node_modules/rollcall/lib/contract/users.d.ts"), "utf8");
  const type = declared.slice(declared.indexOf("export interface User {"));
  const meanings = Object.values(USERS.properties).map(({ description }) => description);
  expect(type.match(/^ {2}(?=\/\*\*)/gm)).toHaveLength(meanings.length);
  for (const meaning of meanings) expect(type).toContain(`  /** ${meaning} */\n`);
});

test.each(["contract", "config"])("the schema for editors of a %s file is in the package", (kind) => {
  const path = createRequire(join(folder, "program.js")).resolve(`rollcall/${kind}.schema.json`);
  expect(path).toBe(join(realpathSync(folder), `node_modules/rollcall/${kind}.schema.json`));
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ type: "object" });
});
