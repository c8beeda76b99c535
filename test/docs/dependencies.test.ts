/** docs/internals/dependencies.md lists each dependency of package.json and of test/engines, and no others. */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const DOC = readFileSync(new URL("docs/internals/dependencies.md", ROOT), "utf8");
const PACKAGE: Record<"dependencies" | "devDependencies" | "peerDependencies", Record<string, string>> = JSON.parse(
  readFileSync(new URL("package.json", ROOT), "utf8"),
);
const ENGINES: typeof PACKAGE = JSON.parse(readFileSync(new URL("test/engines/package.json", ROOT), "utf8"));
const [, runtime = "", bundled = "", development = "", engines = ""] = DOC.split(/^## .*$/m);

test.each([
  ["dependencies", runtime, PACKAGE.dependencies],
  ["devDependencies", bundled + development, PACKAGE.devDependencies],
  ["engines", engines, { ...ENGINES.dependencies, ...ENGINES.devDependencies }],
] as const)("%s: each in one row with a reason", (_, section, packages) => {
  expect(namesIn(section).sort()).toEqual(Object.keys(packages).sort());
});

test("bundled: each package that src imports and users do not install", () => {
  const paths = readdirSync(new URL("src", ROOT), { recursive: true, encoding: "utf8" });
  const texts = paths
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(new URL(`src/${path}`, ROOT), "utf8"));
  const imported = texts.flatMap((text) => [...text.matchAll(/^(?:import|\}) .*from "((?:@[^/"]+\/)?[^./"][^/"]*)/gm)]);
  const installed = { ...PACKAGE.dependencies, ...PACKAGE.peerDependencies };
  const names = new Set(imported.map(([, name = ""]) => name));
  expect(namesIn(bundled).sort()).toEqual([...names].filter((name) => !isBuiltin(name) && !(name in installed)).sort());
});

/** The packages in the rows of a section's table. */
function namesIn(section: string): string[] {
  const rows = [...section.matchAll(/^\| (?!package \||--- \|)(.+?) \| .+ \|$/gm)];
  return rows.flatMap(([, names = ""]) => names.split(", "));
}

test("major versions match package.json", () => {
  const named = [...DOC.matchAll(/\*\*(\S+) (\d+)\*\*/g)];
  expect(named.map(([, name]) => name)).toEqual(["better-sqlite3", "commander", "vitest", "polka"]);
  const ranges = { ...PACKAGE.dependencies, ...PACKAGE.devDependencies };
  for (const [, name = "", major] of named) expect(ranges[name], name).toMatch(new RegExp(`^\\^${major}\\.`));
});
