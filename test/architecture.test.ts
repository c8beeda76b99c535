/** Compares every import of src with the table of rooms in docs/internals/design.md. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { USERS, USERS_CONTRACT } from "../src/core/contract/users.js";

const SRC = new URL("../src", import.meta.url).pathname;
const DESIGN = readFileSync(new URL("../docs/internals/design.md", import.meta.url), "utf8");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
const texts = new Map(files.map((path) => [path, readFileSync(join(SRC, path), "utf8")]));
const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
const arrows = readRooms();

test("every room has a row in the table, and every row a room", () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual([...arrows.keys()].sort());
});

test("imports follow the table", () => {
  const wrong = [...imports].flatMap(([from, all]) =>
    all.filter((to) => !isAllowed(roomOf(from), roomOf(to))).map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

test("every import in the table is used", () => {
  const used = new Set([...imports].flatMap(([from, all]) => all.map((to) => `${roomOf(from)} -> ${roomOf(to)}`)));
  const drawn = [...arrows].flatMap(([from, all]) => all.map((to) => `${from} -> ${to}`));
  expect(drawn.filter((arrow) => !used.has(arrow))).toEqual([]);
});

test("imports form no circle, within rooms and between them", () => {
  expect(findCircle(imports)).toBeUndefined();
  expect(findCircle(arrows)).toBeUndefined();
});

test("every file in docs/internals/design.md exists", () => {
  const named = DESIGN.match(/[\w-]+(?:\/[\w-]+)*\.ts\b/g) ?? [];
  const isThere = (name: string) => files.some((path) => path === name || path.endsWith(`/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
  expect(named).toContain("build/build.ts");
});

test("the helpers of these tests find imports and circles", () => {
  expect(imports.get("build/jobs.ts")?.map(roomOf)).toEqual(expect.arrayContaining(["core", "build"]));
  const graph = { a: ["b"], b: ["c", "a"] };
  expect(findCircle(new Map(Object.entries(graph)))).toEqual(["a", "b", "a"]);
});

test("a field of the directory is named in one file", () => {
  const ordinary = ["country", "id", "languages", "tokens", "username"];
  const names = [...fieldsIn(USERS.properties), ...USERS_CONTRACT.fields.map(({ column }) => column)];
  const pattern = new RegExp(`\\b(?:${names.filter((name) => !ordinary.includes(name)).join("|")})\\b`);
  const all = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => /\.(?:ts|js|css)$/.test(path));
  const naming = all.filter((path) => pattern.test(readFileSync(join(SRC, path), "utf8")));
  expect(naming).toEqual(["core/contract/user.ts"]);
});

test("the client imports nothing of Node, and no package", () => {
  const reached = new Set(["client/index.ts"]);
  for (const path of reached) for (const to of imports.get(path) ?? []) reached.add(to);
  const foreign = [...reached].flatMap((path) =>
    [...(texts.get(path) ?? "").matchAll(/(?:from|import)\s*\(?\s*"([^."][^"]*)"/g)].map(
      ([, name]) => `${path}: ${name}`,
    ),
  );
  expect(foreign).toEqual([]);
});

test("no file uses the internals of Node's sockets and servers", () => {
  const internal =
    /\b_handle\b|\.(?:raw)?[lL]isteners\(|removeAllListeners|\bhttpAllowHalfOpen\b|\.shouldKeepAlive\b|\.destroySoon\b/;
  const overridden = /\.prototype\.\w+ = /;
  const using = [...texts].filter(([, text]) => internal.test(text) || overridden.test(text)).map(([path]) => path);
  expect(using).toEqual([]);
});

function isAllowed(from: string, to: string): boolean {
  return from === to || arrows.get(from)?.includes(to) === true;
}

/** `build/build.ts` is in room `build`; `cli.ts` is a room of its own. */
function roomOf(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.ts$/, "");
}

function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)\.js"/g);
  return [...found].map(([, specifier = ""]) => relative(SRC, join(SRC, dirname(path), `${specifier}.ts`)));
}

/** The rooms of the table, each with the rooms that it uses. */
function readRooms(): Map<string, string[]> {
  const rows = DESIGN.slice(DESIGN.indexOf("## Rooms\n")).matchAll(/^\| `([^`]+)` \|.*\|([^|]*)\|$/gm);
  return new Map([...rows].map(([, room = "", uses = ""]) => [room, uses.match(/[^` ]+/g) ?? []]));
}

function fieldsIn(properties: object): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsIn(field.properties ?? {})]);
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
