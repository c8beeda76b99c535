/** Real folders for tests. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that is removed when the test ends. */
export function scratch(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "rollcall-test-"));
  // Hundreds of thousands of files may lie in it, on a disk that others write to.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 600_000);
  return folder;
}

/** Every file below a folder, by path, as text; links, and the file with a release's name, are left out. */
export function readTree(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".release")
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(folder, file), readFileSync(file, "utf8")]));
}

/** Fails if a file of a release does not match its SHA256SUMS. */
export function checkSums(folder: string): void {
  for (const line of readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n")) {
    const [digest, path = ""] = line.split("  ");
    const bytes = readFileSync(join(folder, path));
    if (createHash("sha256").update(bytes).digest("hex") !== digest) throw new Error(`${path} has another digest.`);
  }
}

/** The open files of this process whose path contains one of `parts`. Linux only. */
export function openFiles(...parts: readonly string[]): string[] {
  return openFilesOf("self", ...parts);
}

/** The same of another process. */
export function openFilesOf(pid: number | "self" | undefined, ...parts: readonly string[]): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return parts.some((part) => path.includes(part)) ? [path] : [];
    } catch {
      // Closed meanwhile, like the folder itself.
      return [];
    }
  });
}
