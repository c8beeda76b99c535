/** Compares every import of src with the picture of the house in docs/internals/design.md. */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { USERS, USERS_CONTRACT } from "../src/core/contract/users.js";

const SRC = new URL("../src", import.meta.url).pathname;
const DESIGN = readFileSync(new URL("../docs/internals/design.md", import.meta.url), "utf8");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
const texts = new Map(files.map((path) => [path, readFileSync(join(SRC, path), "utf8")]));
const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
const order = readPicture();

test("every folder has its place in the picture and a row in the table", () => {
  const rows = [...DESIGN.matchAll(/^\| `([\w/]+)` \| /gm)].map(([, folder]) => folder);
  expect([...new Set(files.map(folderOf))].sort()).toEqual([...order].sort());
  expect(rows.filter((row) => row !== undefined && order.includes(row))).toEqual(order);
});

test("a folder imports only folders before it", () => {
  expect([...imports].flatMap(([from, all]) => all.flatMap((to) => refusal(from, to, order)))).toEqual([]);
});

test("imports form no circle", () => {
  expect(describeCircle(findCircle(imports))).toBe("");
});

test("every file in docs/internals/design.md exists", () => {
  const named = DESIGN.match(/[\w-]+(?:\/[\w-]+)*\.ts\b/g) ?? [];
  const isThere = (name: string) => files.some((path) => path === name || path.endsWith(`/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(["build/build.ts", "host/host.ts", "publish/holder.ts"]));
});

test("the helpers of these tests find imports, circles and imports of what stands behind", () => {
  expect(imports.get("build/jobs.ts")?.map(folderOf)).toEqual(expect.arrayContaining(["core/source", "build"]));
  const graph = { a: ["b"], b: ["c", "a"] };
  expect(findCircle(new Map(Object.entries(graph)))).toEqual(["a", "b", "a"]);
  expect(describeCircle(["a.ts", "b.ts", "a.ts"])).toBe(
    "a.ts imports b.ts, which imports a.ts; a file may import only files that do not lead back to it: move what both need to one that imports neither",
  );
  expect(describeCircle(undefined)).toBe("");
  const folders = ["core/errors", "core/print", "client", "serve"];
  expect(refusal("serve/answer.ts", "core/print/text.ts", folders)).toEqual([]);
  expect(refusal("client/walk.ts", "serve/answer.ts", folders)).toEqual([
    "client/walk.ts imports serve/answer.ts; client may import client, core/errors, core/print",
  ]);
  expect(refusal("core/errors.ts", "core/print/text.ts", folders)).toEqual([
    "core/errors.ts imports core/print/text.ts; core/errors may import core/errors",
  ]);
});

test("a field of the directory is named in one file", () => {
  const ordinary = ["country", "id", "languages", "tokens", "username"];
  const names = [...fieldsIn(USERS.properties), ...USERS_CONTRACT.fields.map(({ column }) => column)];
  const pattern = new RegExp(`\\b(?:${names.filter((name) => !ordinary.includes(name)).join("|")})\\b`);
  const all = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => /\.(?:ts|js|css)$/.test(path));
  const naming = all.filter((path) => pattern.test(readFileSync(join(SRC, path), "utf8")));
  expect(naming).toEqual(["core/contract/user.ts"]);
});

test("rollcall/client imports of core only the contract, nothing of Node, and no package", () => {
  const allowed = ["client", "core/contract"];
  const reached = new Set(["client/index.ts"]);
  const refused: string[] = [];
  for (const path of reached) {
    const own = imports.get(path) ?? [];
    for (const to of own) if (allowed.includes(folderOf(to))) reached.add(to);
    for (const to of [...own.filter((file) => !reached.has(file)), ...modulesOf(texts.get(path) ?? "")])
      refused.push(`${path} imports ${to}; what rollcall/client loads may import only ${allowed.join(" and ")}`);
  }
  expect(refused).toEqual([]);
  expect([...new Set([...reached].map(folderOf))].sort()).toEqual(allowed);
  // For verbs, which have Node.
  const forVerbs = files.filter((path) => folderOf(path) === "client" && !reached.has(path));
  expect(forVerbs).toEqual(["client/explain.ts"]);
});

test("the script of a page, and what it loads, imports nothing of Node", () => {
  /** Files by path, each with how a page's script leads to it. */
  const reached = new Map(files.filter((path) => path.includes("/page/")).map((path) => [path, path]));
  const refused: string[] = [];
  for (const [path, way] of reached) {
    const text = (texts.get(path) ?? "").replace(/^(?:import|export) type [^;]*;/gm, "");
    for (const to of importsOf(path, text)) if (!reached.has(to)) reached.set(to, `${way} imports ${to}, which`);
    for (const name of modulesOf(text).filter(isBuiltin))
      refused.push(`${way} imports ${name}; what a page loads may import only what runs in a browser, nothing of Node`);
  }
  expect([...reached.keys()]).toContain("core/contract/page.ts");
  // One import may lead to many; the first are the nearest.
  expect(refused.slice(0, 3)).toEqual([]);
});

test("no file uses the internals of Node's sockets and servers", () => {
  const internal =
    /\b_handle\b|\.(?:raw)?[lL]isteners\(|removeAllListeners|\bhttpAllowHalfOpen\b|\.shouldKeepAlive\b|\.destroySoon\b/;
  const overridden = /\.prototype\.\w+ = /;
  const using = [...texts].filter(([, text]) => internal.test(text) || overridden.test(text)).map(([path]) => path);
  expect(using).toEqual([]);
});

/** An import of a folder that stands behind its own, and what may be imported instead; empty for any other import. */
function refusal(from: string, to: string, folders: readonly string[]): string[] {
  const own = folderOf(from);
  const before = folders.slice(0, folders.indexOf(own));
  if (own === folderOf(to) || before.includes(folderOf(to))) return [];
  return [`${from} imports ${to}; ${own} may import ${[own, ...before].join(", ")}`];
}

/** `build/build.ts` is in the folder `build`, and `core/release/open.ts` in `core/release`; `index.ts` stands alone. */
function folderOf(path: string): string {
  const [first = "", second = ""] = path.replace(/\.ts$/, "").split("/");
  return first === "core" ? `core/${second}` : first;
}

function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)\.js"/g);
  return [...found].map(([, specifier = ""]) => relative(SRC, join(SRC, dirname(path), `${specifier}.ts`)));
}

/** The packages and modules of Node that a text imports. */
function modulesOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^."][^"]*)"/g)].map(([, name = ""]) => name);
}

/** The folders of the picture, in its order. */
function readPicture(): string[] {
  const lines = DESIGN.slice(DESIGN.indexOf("## House\n")).match(/(?<=\n\n)(?: {4}\w[\w ]* {2,}\w.*\n)+/)?.[0] ?? "";
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [floor, ...folders] = line.trim().split(/ {2,}/);
      return folders.map((folder) => (floor === "core" ? `core/${folder}` : folder));
    });
}

function fieldsIn(properties: object): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsIn(field.properties ?? {})]);
}

/** A circle of imports, and what may be imported instead; empty without one. */
function describeCircle(circle: readonly string[] = []): string {
  if (circle.length === 0) return "";
  const way = circle.join(", which imports ").replace(", which", "");
  return `${way}; a file may import only files that do not lead back to it: move what both need to one that imports neither`;
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
