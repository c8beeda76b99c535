/** Helpers for tests of the documentation: its tables, and running its commands. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { CLI } from "./command.js";
import { scratch } from "./files.js";
import { eventually } from "./until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Compares the first table below a heading of a page with what the program says. UPDATE=1 writes it there instead.
 * @param page `docs/reference/hosts.md`
 * @param heading a whole line, as `## What each host does`
 * @param rows the cells of each row, the head first
 */
export function expectTable(page: string, heading: string, rows: readonly (readonly string[])[]): void {
  const file = join(ROOT, page);
  const text = readFileSync(file, "utf8");
  const at = text.indexOf(`\n${heading}\n`);
  const [table = ""] = /^\|.*\n(?:\|.*\n)*/m.exec(text.slice(at)) ?? [];
  const [head = [], ...others] = rows;
  const wanted = [head, head.map(() => "---"), ...others].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  expect([at >= 0, table !== ""]).toEqual([true, true]);
  if (!process.env["UPDATE"]) expect(table.split("\n")).toEqual(wanted.split("\n"));
  else writeFileSync(file, text.slice(0, at) + text.slice(at).replace(table, () => wanted));
}

/** A clone after `npm ci`, as far as needed to run, in a folder of its own. */
export function clone(): string {
  const folder = join(scratch(), "rollcall");
  for (const name of ["lib", "src/host", "data", "contract.schema.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const { name, version, type, bin, exports, dependencies } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  // Without scripts, since the first npx would compile again.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, type, bin, exports, dependencies }));
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  return folder;
}

/** An environment without this shell's settings, with any port, and with npx offline. */
export function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_"));
  const npm = {
    npm_config_cache: scratch(),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  return { ...Object.fromEntries(others), ...npm, ROLLCALL_PORT: "0" };
}

/** Runs shell lines like a person or a CI job. */
export function sh(command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", command], { cwd, env, encoding: "utf8" });
  // npx warns about the settings of the user.
  return { status, stdout, stderr: stderr.replace(/^npm warn .*\n/gm, "") };
}

/** The environment of a guide's reader: {@link environment} with `rollcall` on the PATH, and servers on any port or this one. */
export function readerEnvironment(port = 0): NodeJS.ProcessEnv {
  const bin = scratch();
  const command = join(bin, "rollcall");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(command, 0o755);
  return { ...environment(), ROLLCALL_PORT: String(port), PATH: `${bin}:/usr/bin:${process.env["PATH"]}` };
}

/** Starts a command that runs until the test ends. @returns its output so far, once that contains the word. */
export async function started(command: string, word: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  onTestFinished(async () => {
    // The shell and what it started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  await eventually(() => expect(said).toContain(word));
  return { output: () => said };
}

/** A page of the docs whose commands are typed and whose output is compared. Headings are of the second level, "" is what precedes them. */
export function docPage(path: string) {
  const file = join(ROOT, path);
  const text = readFileSync(file, "utf8");
  const found = (heading: string, language: string, at: number) => {
    const block = fencesIn(text).filter((fence) => fence.heading === heading && fence.language === language)[at];
    return block ?? expect.fail(`${path} has no block ${at} of ${language} below "${heading}"`);
  };
  return {
    text,
    /** A fenced block of a language below a heading, counted from 0. */
    block: (heading: string, language = "sh", at = 0) => found(heading, language, at).body,
    /** All blocks of a language below a heading. */
    blocks: (heading: string, language = "sh") =>
      fencesIn(text)
        .filter((fence) => fence.heading === heading && fence.language === language)
        .map(({ body }) => body),
    /** Compares the tree of a release that the page shows below a heading with the release. A name with a slash is a folder with any files. */
    expectFiles(heading: string, release: string): void {
      const tree = found(heading, "text", 0).body;
      const named = [...tree.matchAll(/^ {4}(.+?) {2,}/gm)].flatMap(([, names = ""]) => names.split(", "));
      const there = readdirSync(release, { recursive: true, encoding: "utf8" });
      const isNamed = (name: string) => named.includes(name) || named.includes(`${name.split("/")[0]}/`);
      expect(there.filter((name) => /\.|SUMS/.test(name) && !isNamed(name))).toEqual([]);
      expect(named.filter((name) => !there.includes(name.replace(/\/$/, "")))).toEqual([]);
    },
    /**
     * Compares a block with what was printed. A line `...` in it stands for any lines. Ids, times, durations, sizes, ports and
     * the width of columns may differ. UPDATE=1 writes what was printed into the page.
     */
    expectShown(heading: string, language: string, at: number, printed: string): void {
      const block = found(heading, language, at).body;
      const wanted = abridge(printed, block);
      if (!process.env["UPDATE"]) expect(steady(wanted)).toBe(steady(block));
      if (steady(wanted) === steady(block)) return;
      const now = readFileSync(file, "utf8");
      const place = fencesIn(now).filter((fence) => fence.heading === heading && fence.language === language)[at];
      if (place) writeFileSync(file, now.slice(0, place.from) + presentable(wanted) + now.slice(place.to));
    },
  };
}

interface Fence {
  heading: string;
  language: string;
  body: string;
  /** Where the body begins and ends in the page. */
  from: number;
  to: number;
}

function fencesIn(text: string): Fence[] {
  const fences: Fence[] = [];
  let heading = "";
  for (const match of text.matchAll(/^## ([^\n]*)$|^(`{3,})(\S+)[^\n]*\n(.*?)^\2$/gms)) {
    const [whole, title, ticks = "", language = "", body = ""] = match;
    if (title !== undefined) heading = title;
    else {
      const to = match.index + whole.length - ticks.length;
      fences.push({ heading, language, body, from: to - body.length, to });
    }
  }
  return fences;
}

/** As many lines of a text from its beginning and its end as the block has before and after its line `...`. */
function abridge(text: string, block: string): string {
  const [lines, shown] = [text.split("\n"), block.split("\n")];
  const at = shown.indexOf("...");
  if (at < 0) return text;
  return [...lines.slice(0, at), "...", ...lines.slice(at + 1 - shown.length)].join("\n");
}

/** Without what differs between two runs. */
function steady(text: string): string {
  const ids = [...new Set(text.match(/\b[0-9a-f]{12}\b/g))];
  return ids
    .reduce((rest, id, at) => rest.replaceAll(id, `id-${at}`), presentable(text))
    .replace(/\bin \d+\.\d+ s/g, "in 0.1 s")
    .replace(/\b[\d.]+ ([kM]B)\b/g, "1 $1")
    .replace(/ {2,}/g, "  ");
}

/** With one time and one address. */
function presentable(text: string): string {
  return text
    .replace(/\d{8}T\d{6}Z/g, "20260131T120000Z")
    .replace(/^\d\d:\d\d:\d\d(?= )/gm, "12:00:00")
    .replace(/^[-\d]+T[\d:.]+Z(?= )/gm, "2026-01-31T12:00:00.000Z")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080");
}
