/** Imports follow the flow: a room may use the rooms to its left in the table, and nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const SRC = new URL("../src", import.meta.url).pathname;

/** Room -> the rooms it may import from, besides itself. Everything after the release does without the source. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  workers: ["errors"],
  contract: ["errors"],
  settings: ["errors", "contract"],
  source: ["errors", "contract"],
  release: ["errors", "contract", "settings"],
  build: ["errors", "contract", "settings", "workers", "source", "release", "diff"],
  server: ["errors", "contract", "settings", "release", "workers"],
  remote: ["errors", "contract", "workers"],
  adapters: ["errors", "contract", "settings", "release", "print"],
  print: [],
  diff: ["errors", "contract", "settings", "print", "workers", "release"],
  report: ["errors", "contract", "print", "diff"],
  sides: ["errors", "contract", "settings", "release", "remote", "diff", "build", "server"],
  verify: ["errors", "contract", "settings", "print", "workers", "release", "remote"],
  publish: ["errors", "contract", "settings", "release", "workers"],
  commands: [
    ...["errors", "contract", "print", "settings", "workers", "release", "build", "server"],
    ...["diff", "report", "sides", "verify", "publish", "adapters"],
  ],
  index: [
    ...["errors", "contract", "release", "build", "server", "publish"],
    ...["diff", "adapters", "sides", "verify"],
  ],
  cli: ["errors", "commands"],
};

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));

/** `build/pages.ts` is in room `build`; `cli.ts` is a room of its own. */
function roomOf(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.[jt]s$/, "");
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(SRC, path), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, specifier = ""]) => relative(SRC, join(SRC, dirname(path), specifier)));
}

test("every room is in the table", () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(files)("%s imports only what flows into it", (path) => {
  const room = roomOf(path);
  const wrong = importsOf(path).filter((to) => roomOf(to) !== room && !MAY_IMPORT[room]?.includes(roomOf(to)));
  expect(wrong).toEqual([]);
});

test("imports are found, so that the check can fail", () => {
  expect(importsOf("build/build.ts").map(roomOf)).toEqual(
    expect.arrayContaining(["contract", "source", "release", "build"]),
  );
});
