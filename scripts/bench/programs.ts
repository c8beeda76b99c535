/** The programs that make pages of a source: Rollcall, the one that one would write first, and one in C. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Measured, measure } from "./measure.js";

const BASE_URL = "https://directory.example.com";
export const PAGE_SIZE = 100;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const CLI = here("../../lib/cli.js");

/** `rollcall build` into `dist`, with more flags if need be. */
export function rollcall(db: string, dist: string, ...more: string[]): Promise<Measured> {
  const args = ["build", "--db", db, "--out", dist, "--base-url", BASE_URL, "--quiet", ...more];
  return measure(process.execPath, [CLI, ...args]);
}

/** better-sqlite3's `iterate`, zod, fast-json-stable-stringify, `writeFileSync`. */
export function obvious(db: string, pages: string): Promise<Measured> {
  return measure(process.execPath, [here("obvious.mjs"), db, pages, BASE_URL, `${PAGE_SIZE}`]);
}

/** `flushed`: until what it wrote is on the disk, as Rollcall leaves it. */
export type CProgram = (db: string, pages: string, how?: "flushed") => Promise<Measured>;

/** Compiles the C program into `folder`; undefined where that cannot be done. */
export function compileC(folder: string): CProgram | undefined {
  const program = join(folder, "baseline");
  try {
    execFileSync("cc", ["-O2", "-o", program, here("baseline.c"), "-lsqlite3"], { stdio: "pipe" });
  } catch {
    return undefined;
  }
  return (db, pages, how) => {
    const args = [db, pages, BASE_URL, `${PAGE_SIZE}`];
    if (how !== "flushed") return measure(program, args);
    return measure("sh", ["-c", '"$0" "$@" && sync -f "$2"', program, ...args]);
  };
}

export const NO_C = "the C program: install a C compiler and libsqlite3-dev";
