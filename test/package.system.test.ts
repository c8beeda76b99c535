/** The package as its users get it: packed, installed in an empty folder, run and imported there. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USERS } from "../src/core/contract/users.js";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rollcall-package-"));
const BINARY = "build/Release/better_sqlite3.node";
const options: ExecFileSyncOptionsWithStringEncoding = { cwd: folder, encoding: "utf8", stdio: "pipe" };

beforeAll(() => {
  // The global setup has compiled already; compiling again would take lib away from under other runs.
  execFileSync(process.execPath, [join(REPOSITORY, "scripts/pack.mjs"), "rollcall.tgz"], options);
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "./rollcall.tgz"];
  execFileSync("npm", install, options);
  // Compiling takes minutes, and the checkout mostly has the same version compiled.
  const [ours = "", theirs = ""] = [REPOSITORY, folder].map((root) => join(root, "node_modules/better-sqlite3"));
  const [own, other] = [ours, theirs].map((path) => readFileSync(join(path, "package.json"), "utf8"));
  if (own === other && existsSync(join(ours, BINARY))) cpSync(join(ours, BINARY), join(theirs, BINARY));
  else execFileSync("npm", ["rebuild", "better-sqlite3"], options);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const npx = (...command: string[]) => execFileSync("npx", ["--no-install", ...command], options);

test("npm takes better-sqlite3 12 on Node 20, which cannot load 13, and 13 on any other", () => {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/better-sqlite3/package.json"), "utf8"));
  expect(version.split(".")[0]).toBe(process.versions.node.startsWith("20.") ? "12" : "13");
});

test("the package has no scripts, and otherwise what package.json says to consumers", () => {
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const { scripts, devDependencies, allowScripts, knip, ...published } = read(join(REPOSITORY, "package.json"));
  expect(scripts).toHaveProperty("prepare");
  expect(read(join(folder, "node_modules/rollcall/package.json"))).toEqual(published);
});

test("npx rollcall --help is the documented help", () => {
  const docs = readFileSync(join(REPOSITORY, "docs/reference/commands.md"), "utf8");
  const [, end = "none"] = /^\$ rollcall --help\n\.\.\.\n(.*?)^```$/ms.exec(docs) ?? [];
  expect(npx("rollcall", "--help")).toContain(end);
});

test("init and build work out of the box", () => {
  npx("rollcall", "init");
  const built = JSON.parse(npx("rollcall", "build", "--json"));
  expect(built).toMatchObject({ new: true, records: 1000, pages: 10, skipped: 0 });
});

test.each(["cloudflare", "netlify", "cloudfront"])("host writes the script for %s", (name) => {
  expect(npx("rollcall", "host", name)).toMatch(/^const RULES = \{/m);
});

const PROGRAM = `\
import { build, createServer, openRelease, UserError, type BuildResult, type Server, type Release, type User } from "rollcall";

const result: BuildResult = await build({
  db: "data/users.sqlite", baseUrl: "https://example.com", dist: "library", pageSize: 250, compress: ["gzip"],
});
const release: Release = await openRelease(result.folder);
const host: Server = await createServer({ dist: "library" });
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

/** Without `types`: the library itself refers to the types of Node. */
const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
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
  const declared = readFileSync(join(folder, "node_modules/rollcall/lib/core/contract/user.d.ts"), "utf8");
  const type = declared.slice(declared.indexOf("export type User = {"));
  const meanings = Object.values(USERS.properties).map(({ description }) => description);
  expect(type.match(/^ {4}(?=\/\*\*)/gm)).toHaveLength(meanings.length);
  for (const meaning of meanings) expect(type).toContain(`  /** ${meaning} */\n`);
});

test.each(["contract", "config"])("the schema for editors of a %s file is in the package", (kind) => {
  const path = createRequire(join(folder, "program.js")).resolve(`rollcall/${kind}.schema.json`);
  expect(path).toBe(join(realpathSync(folder), `node_modules/rollcall/${kind}.schema.json`));
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ type: "object" });
});
