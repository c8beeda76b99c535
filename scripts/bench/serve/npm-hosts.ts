/** The file hosts that npm has, fetched for one run: only the benchmark needs them, so they are no dependencies. */
import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";

const PACKAGES = ["sirv-cli@3", "serve@14", "http-server@14"];

/** Installs them into a folder and puts their programs on this process's PATH. */
export function installNpmHosts(folder: string): void {
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", "--prefix", folder, ...flags, ...PACKAGES], { stdio: "pipe" });
  process.env["PATH"] = [join(folder, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
}
