/** A real release with every kind of file, and the means to damage it and to hide that from its own digests. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "../../src/build/build.js";
import type { BuildOptions } from "../../src/build/options.js";
import { type Contract, contractOf, USERS_CONTRACT } from "../../src/contract/contract.js";
import { recordFinder } from "../../src/contract/record/locate.js";
import { encodeSums, PageDigests } from "../../src/release/digests.js";
import { sha256 } from "../../src/release/files.js";
import { CONTRACT, PagePaths, RECORDS, SNAPSHOT, SUMS } from "../../src/release/layout.js";
import { recordLines } from "../../src/release/record/list.js";
import { contentDigest, encodeSnapshot, type Snapshot, snapshotId } from "../../src/release/snapshot.js";
import { plainRows, type Row, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";

export const BASE_URL = "https://directory.example.com";

/** Seven users on three pages with both codings, in a folder that is not named after its id. */
export async function plainRelease(options: Partial<BuildOptions> = {}, rows?: Row[]): Promise<string> {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), rows ?? plainRows(7));
  const out = join(folder, "dist");
  const built = await build({
    db,
    out,
    baseUrl: BASE_URL,
    pageSize: 3,
    encodings: ["br", "gzip"],
    ...options,
  });
  const moved = join(folder, "release");
  renameSync(built.folder, moved);
  return moved;
}

/** Changes a file's text, which must change it. */
export function edit(folder: string, path: string, change: (text: string) => string): void {
  const before = readFileSync(join(folder, path), "utf8");
  const after = change(before);
  if (before === after) throw new Error(`Nothing changed in ${path}`);
  writeFileSync(join(folder, path), after);
}

export const page = (number: number) => `api/users/pages/${number}.json`;

export function readSnapshot(folder: string): Snapshot {
  return JSON.parse(readFileSync(join(folder, SNAPSHOT), "utf8"));
}

/** The release's own, or that of users where it has none. */
function contractIn(folder: string): Contract {
  const file = join(folder, CONTRACT);
  return existsSync(file) ? contractOf(JSON.parse(readFileSync(file, "utf8"))) : USERS_CONTRACT;
}

/** Makes compressed pages and records.sha256 again from what the pages are now. */
export function remake(folder: string, contract = contractIn(folder)): void {
  const { pages, encodings } = readSnapshot(folder);
  const finder = recordFinder(contract);
  const paths = new PagePaths(contract.listing.path);
  let lines = "";
  for (let number = 1; number <= pages; number++) {
    const bytes = readFileSync(join(folder, paths.path(number)));
    if (encodings.includes("br")) writeFileSync(join(folder, paths.path(number, "br")), brotliCompressSync(bytes));
    if (encodings.includes("gzip")) writeFileSync(join(folder, paths.path(number, "gzip")), gzipSync(bytes));
    lines += recordLines(finder, bytes.subarray(bytes.indexOf("\n") + 1, bytes.lastIndexOf("\n]")));
  }
  writeFileSync(join(folder, RECORDS), lines);
}

/** Gives every file the digest of what it is now, and the snapshot the id that follows. */
export function reseal(folder: string, contract = contractIn(folder)): void {
  const { id: _old, ...said } = readSnapshot(folder);
  const paths = new PagePaths(contract.listing.path);
  const digests = new PageDigests(said.pages, ["identity", ...said.encodings]);
  const others = new Map<string, string>();
  for (const path of readTree(folder).keys()) {
    const digest = sha256(readFileSync(join(folder, path)));
    const at = paths.find(path);
    if (at) digests.set(at.page, at.variant, digest);
    else if (path !== SNAPSHOT && path !== SUMS) others.set(path, digest);
  }
  const facts = { ...said, ...(said.state !== undefined && { state: others.get(RECORDS) }) };
  const text = encodeSnapshot({ id: snapshotId(contentDigest(facts, { paths, pages: digests, others })), ...facts });
  writeFileSync(join(folder, SNAPSHOT), text);
  const all = new Map([...others, [SNAPSHOT, sha256(text)] as const].sort());
  writeFileSync(join(folder, SUMS), [...encodeSums({ paths, pages: digests, others: all })].join(""));
}
