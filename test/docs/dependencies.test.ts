/** docs/internals/dependencies.md gives a reason for each dependency in package.json and for each engine of the tests, and for nothing else. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const DOC = readFileSync(new URL("docs/internals/dependencies.md", ROOT), "utf8");
const PACKAGE: Record<"dependencies" | "devDependencies", Record<string, string>> = JSON.parse(
  readFileSync(new URL("package.json", ROOT), "utf8"),
);
const ENGINES: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(new URL("test/engines/package.json", ROOT), "utf8"),
);
const [, runtime = "", development = "", engines = ""] = DOC.split(/^## .*$/m);

test.each([
  ["dependencies", runtime, PACKAGE.dependencies],
  ["devDependencies", development, PACKAGE.devDependencies],
  ["engines", engines, ENGINES.dependencies],
] as const)("%s: one line of reason each, in order", (_, section, packages) => {
  const lines = [...section.matchAll(/^\| (\S+) \| (.{10,}) \|$/gm)].map(([, name]) => name);
  expect(lines.filter((name) => name !== "package" && name !== "---")).toEqual(Object.keys(packages));
});

test("the versions that it speaks of are those that are used", () => {
  const named = [...DOC.matchAll(/^- \*\*(\S+) (\d+)\*\*/gm)];
  expect(named.map(([, name]) => name)).toEqual(["better-sqlite3", "commander", "polka", "vitest"]);
  const ranges = { ...PACKAGE.dependencies, ...PACKAGE.devDependencies };
  for (const [, name = "", major] of named) expect(ranges[name], name).toMatch(new RegExp(`^\\^${major}\\.`));
});
