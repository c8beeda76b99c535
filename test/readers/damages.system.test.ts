/** For each kind of damage, readers get an error or the published records, and `publish` refuses it. */
import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openListing } from "../../src/client/index.js";
import { publish, verify } from "../../src/index.js";
import { BASE_URL, readSnapshot, releases } from "../support/damage.js";
import { damagesNamed } from "../support/damages.js";
import { scratch } from "../support/files.js";

const release = releases();

/** More than any file here has when it is right, and far less than the absurd ones. */
const MOST = 2 ** 26;

/** Reads all records from a host that has nothing but the files of a folder. */
async function read(folder: string, via: "pages" | "bulk") {
  const fetch = async (asked: string | URL | Request) => {
    const { pathname, searchParams } = new URL(asked instanceof Request ? asked.url : asked);
    const number = searchParams.get("page");
    const file = join(folder, number === null ? pathname : join(pathname, "pages", `${number}.json`));
    try {
      if (statSync(file).size > MOST) throw new Error("too large to be sent");
      return new Response(new Uint8Array(readFileSync(file)));
    } catch {
      return new Response(null, { status: 404 });
    }
  };
  const texts: string[] = [];
  let error: unknown;
  try {
    const listing = openListing(BASE_URL, { fetch, pausesMs: [] });
    for await (const record of listing.records({ via })) texts.push(JSON.stringify(record));
  } catch (thrown) {
    error = thrown;
  }
  return { texts, error };
}

/** A damage of each kind of file, and of each way that a file can be wrong. */
const KINDS = damagesNamed(
  "a page is gone",
  "one byte of a page",
  "one byte of a compressed page",
  "a link in place of a page",
  "a file too many",
  "the image",
  "a line of records.sha256",
  "a digest",
  "a line of SHA256SUMS is gone",
  "snapshot.json is not JSON",
);
/** Parts that differ from the pages, although all digests match. */
const PARTS = damagesNamed(
  "a part that is cut",
  "a part with one byte of a record changed",
  "two records of a part in each other's place",
  "a missing part",
  "a bulk.json that is none",
);

test.each(KINDS)("readers of a release where there is $what", async ({ of, make }) => {
  const folder = await release(of);
  const { texts: right } = await read(folder, "pages");
  expect(right).toHaveLength(readSnapshot(folder).count);
  make(folder);
  const { texts, error } = await read(folder, "pages");
  expect(texts).toEqual(right.slice(0, texts.length));
  if (error === undefined) expect(texts).toHaveLength(right.length);
  else expect(error).toMatchObject({ name: "ListingError", url: expect.stringContaining(BASE_URL) });
});

test.each(PARTS)("readers of all records in parts, where there is $what", async ({ of, make }) => {
  const folder = await release(of);
  const { texts: right } = await read(folder, "bulk");
  expect(right).toHaveLength(7);
  make(folder);
  const { texts, error } = await read(folder, "bulk");
  if (error === undefined) expect(texts).toHaveLength(right.length);
  else expect(error).toMatchObject({ name: "ListingError", url: expect.stringContaining(BASE_URL) });
});

test.each(KINDS)("publish of a release where there is $what", async ({ of, make }) => {
  const folder = await release(of);
  const dist = join(dirname(folder), "published");
  const name = `20261121T034000Z-${readSnapshot(folder).id}`;
  mkdirSync(join(dist, "releases"), { recursive: true });
  renameSync(folder, join(dist, "releases", name));
  symlinkSync(`releases/${name}`, join(dist, "current"));
  make(join(dist, "releases", name));
  const target = join(scratch(), "site");
  const error = await publish({ dist, target }).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  // What is published is whole: of a file too many, nothing is taken along.
  if (error === undefined) expect(await verify({ what: target })).toMatchObject({ passed: true });
  else expect(error).toMatchObject({ name: "UserError" });
});
