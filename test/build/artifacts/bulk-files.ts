/** What `build --bulk` has written, held against itself. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { checkSums } from "../../support/files.js";

const MAX_PART = 24_000_000;

interface Part {
  file: string;
  count: number;
  bytes: number;
  members: number[];
  sha256: string;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** All that a release's bulk.json says is held against its files. */
export function readBulk(release: string) {
  const text = readFileSync(join(release, "bulk.json"), "utf8");
  const bulk: { count: number; sha256: string; parts: Part[] } = JSON.parse(text);
  const files = bulk.parts.map(({ file }) => readFileSync(join(release, file)));
  const plain = gunzipSync(Buffer.concat(files));
  expect(Object.keys(bulk)).toEqual(["count", "parts", "sha256"]);
  expect(bulk.sha256).toBe(sha256(plain));
  expect(bulk.count).toBe(plain.toString().split("\n").length - 1);
  expect(readdirSync(join(release, "bulk")).sort()).toEqual(bulk.parts.map(({ file }) => file.slice(5)).sort());
  for (const [at, { file, members, ...part }] of bulk.parts.entries()) {
    const bytes = files[at] ?? Buffer.alloc(0);
    let end = 0;
    const plains = members.map((length) => {
      end += length;
      return gunzipSync(bytes.subarray(end - length, end));
    });
    expect(end).toBe(bytes.length);
    const own = Buffer.concat(plains);
    expect(file).toBe(`bulk/${at + 1}.ndjson.gz`);
    expect(part).toEqual({ count: own.toString().split("\n").length - 1, bytes: bytes.length, sha256: sha256(own) });
    expect(bytes.length).toBeLessThanOrEqual(MAX_PART);
  }
  checkSums(release);
  return { text, files, lines: plain.toString() };
}

/** The records of all pages, one a line. */
export function linesOfPages(release: string, path = "api/users"): string {
  const folder = join(release, path, "pages");
  const pages = readdirSync(folder).length;
  return Array.from({ length: pages }, (_, at) => readFileSync(join(folder, `${at + 1}.json`), "utf8"))
    .flatMap((page) => page.split("\n").slice(1, -2))
    .map((line) => `${line.replace(/,$/, "")}\n`)
    .join("");
}
