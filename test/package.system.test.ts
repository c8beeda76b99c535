/**
 * The package as its users get it: packed, installed in an empty folder, run and imported there. Where no prebuilt
 * better-sqlite3 can be fetched, installing compiles it, which takes more than a minute.
 */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

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

test("npx rollcall --help is the documented help", () => {
  const help = npx("rollcall", "--help");
  expect(readFileSync(join(REPOSITORY, "docs/commands.md"), "utf8")).toContain(help);
});

test("init and build work out of the box", () => {
  npx("rollcall", "init");
  const built = JSON.parse(npx("rollcall", "build", "--json"));
  expect(built).toMatchObject({ new: true, users: 1000, pages: 10, skipped: 0 });
});

test.each(["cloudflare", "netlify", "cloudfront"])("adapt writes the script for %s", (name) => {
  expect(npx("rollcall", "adapt", name)).toMatch(/^const RULES = \{/m);
});

test("a build for lighttpd writes its script into the release", () => {
  const built = JSON.parse(npx("rollcall", "build", "--adapt", "lighttpd", "--json"));
  expect(readFileSync(join(folder, built.folder, "adapters/rollcall.lua"), "utf8")).toMatch(/^local RULES = \{/m);
});

const PROGRAM = `\
import { build, createServer, openRelease, UserError, type BuildResult, type Server, type Release } from "rollcall";

const result: BuildResult = await build({
  db: "data/users.sqlite", baseUrl: "https://example.com", out: "library", pageSize: 250, encodings: ["gzip"],
});
const release: Release = await openRelease(result.folder);
const host: Server = await createServer({ folder: "library" });
const { url } = await host.listen({ port: 0 });
const answer = await fetch(\`\${url}/api/users/?page=4\`);
const { count } = (await answer.json()) as { count: number };
await host.close();
const refusal: unknown = await openRelease("nowhere").catch((error: unknown) => error);
console.log(JSON.stringify({
  pages: release.snapshot.pages, count, id: answer.headers.get("snapshot-id") === result.id,
  refused: refusal instanceof UserError,
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
  expect(JSON.parse(printed)).toEqual({ pages: 4, count: 1000, id: true, refused: true });
});
