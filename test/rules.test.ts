/** No test depends on the clock or on an unnamed seed: test/support has the only modules that may use them. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const TEST = new URL(".", import.meta.url).pathname;
const CLOCK = /(?<!\.)setTimeout|setInterval|\bsleep\(|Date\.now|performance\.now|expect\.poll|vi\.wait|waitForTimeout/;
const SEED = /configureGlobal|\bseed: (?!number)/;

const texts = new Map(
  readdirSync(TEST, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:m?[tj]s|py|sh)$/.test(path) && !/^engines\/node_modules\/|^rules\.test\.ts$/.test(path))
    .map((path) => [path, readFileSync(join(TEST, path), "utf8")]),
);
const users = findUsers();
/** All but test/support, and processes that only nightly tests start. */
const tests = [...texts].filter(
  ([path]) => !path.startsWith("support/") && (path.includes(".test.") || path.endsWith(".ts") || !isNightly(path)),
);

test("no test uses the clock: until() waits for a condition", () => {
  expect(findLines(CLOCK)).toEqual([]);
});

test("only nightly tests, and modules that only they use, import support/time", () => {
  const importers = users.get("support/time.ts")?.filter((path) => !path.startsWith("support/")) ?? [];
  expect(importers.filter((path) => !isNightly(path))).toEqual([]);
});

test("fast-check gets its seed in test/support", () => {
  expect(findLines(SEED)).toEqual([]);
});

test("lines and users are found, so that the tests above can fail", () => {
  expect(findLines(/expect\(/).length).toBeGreaterThan(1000);
  expect(users.get("support/files.ts")).toContain("cases.test.ts");
  expect(isNightly("support/files.ts")).toBe(false);
  expect(isNightly("serve/swap.nightly.test.ts")).toBe(true);
});

function findLines(pattern: RegExp): string[] {
  return tests.flatMap(([path, text]) =>
    text.split("\n").flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
}

/** Whether a file is a nightly test, or a module that such tests use and no others. */
function isNightly(path: string, seen: ReadonlySet<string> = new Set()): boolean {
  if (path.includes(".test.")) return path.endsWith(".nightly.test.ts");
  const using = users.get(path)?.filter((user) => !seen.has(user)) ?? [];
  return using.length > 0 && using.every((user) => isNightly(user, new Set([...seen, path])));
}

/** For each file, those that import it or start it by its path. */
function findUsers(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, text] of texts) {
    if (from.endsWith(".d.mts")) continue;
    for (const [, to = ""] of text.matchAll(/"(\.\.?\/[^"\s]+)"/g)) {
      const path = join(dirname(from), to.replace(/\.js$/, ".ts"));
      found.set(path, [...(found.get(path) ?? []), from]);
    }
  }
  return found;
}
