/** Real folders for tests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that goes when the test ends. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
  // Hundreds of thousands of files may lie in it, on a disk that others write to.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 600_000);
  return folder;
}

/** Every file below a folder, by path, as text; links are left out. */
export function readTree(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(folder, file), readFileSync(file, "utf8")]));
}

/** @throws Error when a file of a release is not what its SHA256SUMS says, by the judgement of another program. */
export function checkSums(folder: string): void {
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: folder, stdio: "pipe" });
}

/** What this process has open of files whose path holds one of `parts`. Linux only. */
export function openFiles(...parts: readonly string[]): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return parts.some((part) => path.includes(part)) ? [path] : [];
    } catch {
      // Closed meanwhile, as the folder itself.
      return [];
    }
  });
}
