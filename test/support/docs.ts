/** Helpers for tests of the documentation: its tables, and running its commands. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { scratch } from "./files.js";

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

/** The fenced blocks of a language below a heading of the second level. */
export function blocksOf(text: string, heading: string, language: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const fenced = section.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...fenced].filter(([, name]) => name === language).map(([, , block = ""]) => block);
}

/** The lines of the `sh` blocks. */
export function commandsOf(text: string): string[] {
  return [...text.matchAll(/^```sh\n(.*?)```/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
}

/** A clone after `npm ci`, as far as needed to run. */
export function clone(): string {
  const folder = scratch();
  for (const name of ["lib", "data"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
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
