/** What builds that sign are given. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

export const PASSWORD = "correct horse bättery";
export const BASE_URL = "https://directory.example.com";

export function source(users = 7) {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(users));
  return cwd;
}

export const args = (...more: string[]) => [
  "build",
  "--db",
  "users.sqlite",
  "--base-url",
  BASE_URL,
  "--page-size",
  "3",
  ...more,
];

export function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { ROLLCALL_SIGN_PASSWORD: _, ...env } = process.env;
  return { ...env, ...more };
}

export const check = (cwd: string, ...key: string[]) =>
  execFileSync("minisign", ["-Vm", join(cwd, "dist/current/SHA256SUMS"), ...key], { encoding: "utf8", stdio: "pipe" });
