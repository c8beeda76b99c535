/** For each kind of damage, readers get an error or the published records, and `publish` refuses it. */
import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openListing } from "../../src/client/index.js";
import { publish, verify } from "../../src/index.js";
import { BASE_URL, readSnapshot, releases } from "../support/damage.js";
import { DAMAGES } from "../support/damages.js";
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

const unsealed = DAMAGES.filter(({ isSealed }) => !isSealed);

test.each(unsealed)("readers of a release where there is $what", async ({ of, make }) => {
  const folder = await release(of);
  const { texts: right } = await read(folder, "pages");
  expect(right).toHaveLength(readSnapshot(folder).count);
  make(folder);
  const { texts, error } = await read(folder, "pages");
  expect(texts).toEqual(right.slice(0, texts.length));
  if (error === undefined) expect(texts).toHaveLength(right.length);
  else expect(error).toMatchObject({ name: "ListingError", url: expect.stringContaining(BASE_URL) });
});

test.each(DAMAGES.filter(({ rows, isSealed }) => isSealed && rows.includes("bulk")))(
  "readers of all records in parts, where there is $what",
  async ({ of, make }) => {
    const folder = await release(of);
    const { texts: right } = await read(folder, "bulk");
    expect(right).toHaveLength(7);
    make(folder);
    const { texts, error } = await read(folder, "bulk");
    if (error === undefined) expect(texts).toHaveLength(right.length);
    else expect(error).toMatchObject({ name: "ListingError", url: expect.stringContaining(BASE_URL) });
  },
);

// A file of a terabyte takes as long as it is read.
test.each(unsealed.filter(({ what }) => !what.includes("terabyte")))(
  "publish of a release where there is $what",
  async ({ of, make }) => {
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
  },
);
