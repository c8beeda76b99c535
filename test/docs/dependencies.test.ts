/** docs/internals/dependencies.md lists each dependency of package.json and of test/engines, and no others. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const DOC = readFileSync(new URL("docs/internals/dependencies.md", ROOT), "utf8");
const PACKAGE: Record<"dependencies" | "devDependencies", Record<string, string>> = JSON.parse(
  readFileSync(new URL("package.json", ROOT), "utf8"),
);
const ENGINES: typeof PACKAGE = JSON.parse(readFileSync(new URL("test/engines/package.json", ROOT), "utf8"));
const [, runtime = "", development = "", engines = ""] = DOC.split(/^## .*$/m);

test.each([
  ["dependencies", runtime, PACKAGE.dependencies],
  ["devDependencies", development, PACKAGE.devDependencies],
  ["engines", engines, { ...ENGINES.dependencies, ...ENGINES.devDependencies }],
] as const)("%s: each in one row with a reason", (_, section, packages) => {
  const [, , ...rows] = [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)];
  const names = rows.flatMap(([, names = ""]) => names.split(", "));
  expect(names.sort()).toEqual(Object.keys(packages).sort());
});

test("major versions match package.json", () => {
  const named = [...DOC.matchAll(/\*\*(\S+) (\d+)\*\*/g)];
  expect(named.map(([, name]) => name)).toEqual(["better-sqlite3", "commander", "vitest", "polka"]);
  const ranges = { ...PACKAGE.dependencies, ...PACKAGE.devDependencies };
  for (const [, name = "", major] of named) expect(ranges[name], name).toMatch(new RegExp(`^\\^${major}\\.`));
});
