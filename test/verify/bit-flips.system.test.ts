/** A flipped bit in any region of any file of a signed release is detected, on disk and by readers. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openListing } from "../../src/client/index.js";
import { type BuildOptions, build, verify } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";

/** Parts of a file, of each of which one bit is flipped, and its last byte. */
const REGIONS = 5;
const BASE_URL = "https://directory.example.com";

interface Flip {
  path: string;
  at: number;
  bit: number;
}

/** How a reader reads each file. It does not read files for the explorer, other programs or the host. */
const READ: readonly [files: RegExp, how: "pages" | "bulk" | "contract"][] = [
  [/^(?:api\/users\/pages\/\d+\.json|snapshot\.json|SHA256SUMS|SHA256SUMS\.minisig)$/, "pages"],
  [/^bulk/, "bulk"],
  [/^contract\.json$/, "contract"],
];

/** The check that finds a damage, besides the digests, by what a file is for; some bytes of a gzip say nothing of its content. */
const FOUND_BY: readonly [files: RegExp, row: string][] = [
  [/^bulk\.json$/, "bulk"],
  [/^lookup\/(?:keys|words)/, "lookup"],
  [/^explorer\/facets/, "explorer"],
  [/^records\.sha256$/, "record-list"],
  [/^SHA256SUMS\.minisig$/, "signature"],
];

function flipsOf(path: string, { length }: Buffer): Flip[] {
  const places = Array.from({ length: REGIONS }, (_, region) => Math.floor((region * length) / REGIONS));
  return [...new Set([...places, length - 1])].map((at, bit) => ({ path, at, bit: (bit * 3 + at) % 8 }));
}

test("detects each flipped bit of a signed release, on disk and by readers", async () => {
  const { folder, publicKey } = await signedRelease();
  const files = new Map([...readTree(folder).keys()].map((path) => [path, readFileSync(join(folder, path))]));
  const flips = [...files].flatMap(([path, bytes]) => flipsOf(path, bytes));
  const right = await read(files, "pages", publicKey);
  expect([right.error, right.texts.length]).toEqual([undefined, 8]);
  expect(await read(files, "bulk", publicKey)).toEqual(right);

  const unnoticed: string[] = [];
  for (const flip of flips) {
    const { path, at, bit } = flip;
    const bytes = flipped(files.get(path), flip);
    writeFileSync(join(folder, path), bytes);
    const differing = await differs(folder, publicKey);
    writeFileSync(join(folder, path), files.get(path) ?? "");
    const row = FOUND_BY.find(([paths]) => paths.test(path))?.[1];
    if (differing.length === 0 || (row && !differing.includes(row)))
      unnoticed.push(`disk: ${path}, bit ${bit} of ${at}`);
    const how = READ.find(([paths]) => paths.test(path))?.[1];
    if (!how) continue;
    const { texts, error } = await read(new Map([...files, [path, bytes]]), how, publicKey);
    const isPrefix = texts.every((text, at) => text === right.texts[at]);
    if (error?.name !== "ListingError" || !isPrefix) unnoticed.push(`reader: ${path}, bit ${bit} of ${at}`);
  }
  expect(unnoticed).toEqual([]);
  expect(await differs(folder, publicKey)).toEqual([]);
  expect(flips.length).toBeGreaterThan(files.size * 3);
});

/** Three pages with compressed forms, signed, with everything beside them. */
async function signedRelease() {
  const root = scratch();
  const key = writeKey(root, "key");
  const db = writeUsers(join(root, "users.sqlite"), plainRows(8));
  const more = { pageSize: 3, compress: ["br", "gzip"], bulk: true, explorer: true, signKey: key.secret };
  const { folder } = await build({ db, dist: join(root, "dist"), baseUrl: BASE_URL, ...more } as BuildOptions);
  return { folder, publicKey: readFileSync(key.public, "utf8") };
}

function flipped(bytes: Buffer = Buffer.alloc(0), { at, bit }: Flip): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << bit);
  return changed;
}

/** The names of the checks that differ, or of the error. */
async function differs(folder: string, publicKey: string): Promise<string[]> {
  try {
    const { rows } = await verify({ what: folder, workers: 0, key: [publicKey] });
    return rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
  } catch (error) {
    return [String(error)];
  }
}

/** Reads what the client can prove from a host that has nothing but these files. */
async function read(files: ReadonlyMap<string, Buffer>, how: "pages" | "bulk" | "contract", publicKey: string) {
  const fetch = async (asked: string | URL | Request) => {
    const { pathname, searchParams } = new URL(asked instanceof Request ? asked.url : asked);
    const isPage = pathname === "/api/users/";
    const path = isPage ? `api/users/pages/${searchParams.get("page") ?? 1}.json` : pathname.slice(1);
    const bytes = files.get(path);
    return new Response(bytes && new Uint8Array(bytes), { status: bytes ? 200 : 404 });
  };
  const listing = openListing(BASE_URL, { publicKey, fetch, pausesMs: [1] });
  const texts: string[] = [];
  try {
    if (how === "contract") await listing.contract();
    else for await (const record of listing.records({ via: how })) texts.push(JSON.stringify(record));
    return { texts };
  } catch (error) {
    return { texts, error: error as Error & { code?: string } };
  }
}
