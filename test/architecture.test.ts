/** The house is laid out as docs/design.md says: its tables are read here, and every file is held to them. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const SRC = new URL("../src", import.meta.url).pathname;
const DESIGN = readFileSync(new URL("../docs/design.md", import.meta.url), "utf8");
const MOST_LINES = 200;
const FEW_LINES = 40;
const MOST_FILES = 16;
const MOST_WITH_PREFIX = 2;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
const texts = new Map(files.map((path) => [path, readFileSync(join(SRC, path), "utf8")]));
const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
const rooms = tableBelow("## Rooms").map(
  ([room = "", , uses = ""]) => [wordsIn(room)[0] ?? "", wordsIn(uses)] as const,
);
const arrows = new Map(rooms);
const folders = [...new Set(files.flatMap((path) => foldersOf(path)))];

describe("folders", () => {
  const glossary = new Set(tableBelow("## Words").flatMap(([words = ""]) => wordsIn(words)));

  test.each(folders)("%s is a word of the glossary", (folder) => {
    expect(glossary).toContain(folder.split("/").at(-1));
  });

  test.each(folders)("%s holds few files", (folder) => {
    expect(filesIn(folder).length).toBeLessThanOrEqual(MOST_FILES);
  });

  test.each(folders)("%s: what many names begin with is a folder", (folder) => {
    const prefixes = filesIn(folder).map((path) => path.slice(folder.length + 1).match(/^[a-z]+/)?.[0] ?? "");
    const many = prefixes.filter((prefix) => prefixes.filter((other) => other === prefix).length > MOST_WITH_PREFIX);
    expect([...new Set(many)]).toEqual([]);
  });
});

describe("files", () => {
  const importersOf = (path: string) => [...imports].filter(([, all]) => all.includes(path)).length;
  /** Nobody imports the entries, threads and processes; a verb has a file of its own, however short. */
  const started = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/new URL\("(\.[^"]+)\.js", import\.meta\.url\)/g)].map(([, to = ""]) =>
      join(dirname(path), `${to}.ts`),
    ),
  );
  const entries = new Set([
    "cli.ts",
    "index.ts",
    "client/index.ts",
    "explorer/page/main.ts",
    ...filesIn("commands"),
    ...started,
  ]);

  test.each(files)("%s is not long", (path) => {
    expect(linesOf(path)).toBeLessThanOrEqual(MOST_LINES);
  });

  test.each(files.filter((path) => !entries.has(path)))("%s has more than one importer, or some length", (path) => {
    const count = importersOf(path);
    expect(count > 1 || (count === 1 && linesOf(path) > FEW_LINES)).toBe(true);
  });
});

test("every file that docs/design.md names is there", () => {
  const named = [...DESIGN.matchAll(/[\w-]+(?:\/[\w-]+)*\.ts\b/g)]
    .map(([path]) => path)
    .filter((path) => !path.includes(".test."));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

test("a comment can be read alone: none begins with what another one said", () => {
  const leaning = [...texts].filter(([, text]) =>
    /(?:\/\*\*?|\/\/|^ *\*) (?:The same|Likewise|As above|Ditto)\b/m.test(text),
  );
  expect(leaning.map(([path]) => path)).toEqual([]);
});

test("an exported name exists once", () => {
  const owners = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    for (const [, name = ""] of text.matchAll(
      /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|interface|type|enum) (\w+)/gm,
    )) {
      owners.set(name, (owners.get(name) ?? new Set()).add(path));
    }
  }
  expect(owners.size).toBeGreaterThan(300);
  expect([...owners].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual([]);
});

describe("imports", () => {
  test("every room stands in the table, and nothing else does", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...arrows.keys()].sort());
  });

  test("follow the arrows", () => {
    const wrong = [...imports].flatMap(([from, all]) =>
      all.filter((to) => !isAllowed(roomOf(from), roomOf(to))).map((to) => `${from} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test("leave no arrow unused", () => {
    const used = new Set([...imports].flatMap(([from, all]) => all.map((to) => `${roomOf(from)} -> ${roomOf(to)}`)));
    const drawn = [...arrows].flatMap(([from, all]) => all.map((to) => `${from} -> ${to}`));
    expect(drawn.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  test("go round in no circle, within rooms and between them", () => {
    expect(findCircle(imports)).toBeUndefined();
    expect(findCircle(arrows)).toBeUndefined();
  });

  test("are found, so that the checks can fail", () => {
    expect(imports.get("build/build.ts")?.map(roomOf)).toEqual(expect.arrayContaining(["source", "release", "build"]));
    expect(
      findCircle(
        new Map([
          ["a", ["b"]],
          ["b", ["c", "a"]],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
  });
});

function isAllowed(from: string, to: string): boolean {
  return from === to || arrows.get(from)?.includes(to) === true;
}

/** `build/pages.ts` is in room `build`; `cli.ts` is a room of its own. */
function roomOf(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.ts$/, "");
}

/** `a` and `a/b` for `a/b/c.ts`. */
function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

function filesIn(folder: string): string[] {
  return files.filter((path) => dirname(path) === folder);
}

function linesOf(path: string): number {
  return (texts.get(path) ?? "").split("\n").length - 1;
}

function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)\.js"/g);
  return [...found].map(([, specifier = ""]) => relative(SRC, join(SRC, dirname(path), `${specifier}.ts`)));
}

/** The cells of each row of the first table below a heading. */
function tableBelow(heading: string): string[][] {
  const [, table = ""] = DESIGN.slice(DESIGN.indexOf(`${heading}\n`)).match(/\n((?:\|.*\n)+)/) ?? [];
  const lines = table.trim().split("\n").slice(2);
  return lines.map((line) => line.split("|").slice(1, -1));
}

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

/** The first circle that is found, its first member at both ends. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const walk = (at: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return undefined;
    for (const next of graph.get(at) ?? []) {
      const circle = walk(next, [...path, at]);
      if (circle) return circle;
    }
    done.add(at);
    return undefined;
  };
  for (const start of graph.keys()) {
    const circle = walk(start, []);
    if (circle) return circle;
  }
  return undefined;
}
