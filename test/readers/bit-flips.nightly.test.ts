/** Any bit of a signed release may flip: on its way to a reader, or on the disk. Both are noticed each time. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openListing } from "../../src/client/index.js";
import { type BuildOptions, build, type VerifyOptions, verify } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { draws, seeded } from "../support/random.js";
import { makeKey } from "./hosts.js";

const FLIPS = draws(10_000);
/** Readers at once. */
const READERS = 20;
const BASE_URL = "https://directory.example.com";

interface Flip {
  path: string;
  at: number;
  bit: number;
}

/** What a reader does to read a file. Others it never asks for: those are for people, other programs or the host. */
const READ: readonly [files: RegExp, how: "pages" | "bulk" | "contract"][] = [
  [/^(?:api\/users\/pages\/\d+\.json|snapshot\.json|SHA256SUMS|SHA256SUMS\.minisig)$/, "pages"],
  [/^bulk/, "bulk"],
  [/^contract\.json$/, "contract"],
];

describe.skipIf(isMissing("minisign"))(`${FLIPS} flipped bits in a signed release`, () => {
  test("are each noticed", { timeout: 900_000 }, async () => {
    const random = seeded();
    const { folder, publicKey } = await signedRelease();
    const files = new Map([...readTree(folder).keys()].map((path) => [path, readFileSync(join(folder, path))]));
    // As many in a small file as in a large one.
    const flips = Array.from({ length: FLIPS }, (): Flip => {
      const [path, bytes] = random.of([...files]);
      return { path, at: random.below(bytes.length), bit: random.below(8) };
    });
    const right = await read(files, "pages", publicKey);
    expect([right.error, right.texts.length]).toEqual([undefined, 8]);
    expect(await read(files, "bulk", publicKey)).toEqual(right);

    const passed: Flip[] = [];
    for (const flip of flips) {
      const { path } = flip;
      const file = join(folder, path);
      writeFileSync(file, flipped(files.get(path), flip));
      if (await isVerified(folder, publicKey)) passed.push(flip);
      writeFileSync(file, files.get(path) ?? "");
    }
    expect(passed).toEqual([]);
    expect(await isVerified(folder, publicKey)).toBe(true);

    const reads = flips.flatMap((flip) => {
      const how = READ.find(([paths]) => paths.test(flip.path))?.[1];
      return how ? [{ flip, how }] : [];
    });
    const unnoticed: Flip[] = [];
    const codes = new Map<string, number>();
    const queue = reads.values();
    const reader = async () => {
      for (const { flip, how } of queue) {
        const { path } = flip;
        const { texts, error } = await read(
          new Map([...files, [path, flipped(files.get(path), flip)]]),
          how,
          publicKey,
        );
        const isBeginning = texts.every((text, at) => text === right.texts[at]);
        if (error?.name !== "ListingError" || !isBeginning) unnoticed.push(flip);
        const what = `${path.replace(/\d+(?=\.|$)/, "N")}: ${error?.code}`;
        codes.set(what, (codes.get(what) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    process.stdout.write(
      `${FLIPS} flips in ${files.size} files, ${reads.length} of them in files that a reader reads: `,
    );
    process.stdout.write(`${JSON.stringify(Object.fromEntries([...codes].sort()))}\n`);
    expect(unnoticed).toEqual([]);
    expect(reads.length).toBeGreaterThan(FLIPS / 3);
  });
});

/** Three pages with compressed forms, signed, with all records in one file as well. */
async function signedRelease() {
  const root = scratch();
  const key = makeKey(root, "key");
  const db = writeUsers(join(root, "users.sqlite"), plainRows(8));
  const more = { pageSize: 3, encodings: ["br", "gzip"], bulk: true, signKey: key.secret };
  const { folder } = await build({ db, out: join(root, "dist"), baseUrl: BASE_URL, ...more } as BuildOptions);
  return { folder, publicKey: key.public };
}

function flipped(bytes: Buffer = Buffer.alloc(0), { at, bit }: Flip): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << bit);
  return changed;
}

async function isVerified(folder: string, publicKey: string): Promise<boolean> {
  const verdict = await verify({ what: folder, workers: 0, key: [publicKey] } as VerifyOptions).catch(() => undefined);
  return verdict?.passed ?? false;
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
