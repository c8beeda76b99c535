import { join } from "node:path";
import { expect, test } from "vitest";
import { type BuildOptions, build, verify } from "../../src/index.js";
import { plainRows, usersFile } from "../support/database.js";
import { scratch } from "../support/files.js";
import { PLACES, places, writePlaces } from "../support/places.js";

test.each<Partial<BuildOptions>>([
  { bulk: true },
  { csv: true },
  { parquet: true },
  { csv: true, dataPackage: true },
  { lookup: true },
  { explorer: true },
  { feed: true },
])("a build with %o", async (more) => {
  const db = usersFile(plainRows(20));
  const options = { db, baseUrl: "https://directory.example.com", dist: scratch(), pageSize: 3 };
  const plain = await build(options);
  const made = await build({ ...options, ...more });
  expect(made).toMatchObject({ new: true, id: plain.id });
  expect(await build({ ...options, ...more, workers: 0 })).toMatchObject({ new: false, name: made.name });
  expect(await build(options)).toMatchObject({ new: false, switched: true, name: plain.name });
});

test.each<[path: string, more: Partial<BuildOptions>, message: string]>([
  ["/views/", { views: ["tag"] }, "since views are in views and views.json"],
  ["/Views.json/x/", { views: ["tag"] }, "since views are in views and views.json"],
  ["/records.parquet/", { parquet: true }, "since parquet writes records.parquet"],
])("a listing at %s is refused only with %o", async (path, more, message) => {
  const folder = scratch();
  const db = writePlaces(join(folder, "places.sqlite"), places(5));
  const contract = { ...PLACES, "x-listing": { ...PLACES["x-listing"], path } };
  const options = { db, table: "places", contract, baseUrl: "https://data.example.com", dist: join(folder, "dist") };
  const plain = await build(options);
  const key = Object.keys(more).join();
  await expect(build({ ...options, ...more })).rejects.toMatchObject({
    exitCode: 2,
    message: `${key} and x-listing.path ${path} exclude each other, ${message}. Choose another path.`,
  });
  expect(await build(options)).toMatchObject({ new: false, name: plain.name });
});

test("a listing of a site may have the name of a file that only listings have", async () => {
  const folder = scratch();
  const db = writePlaces(join(folder, "places.sqlite"), places(5));
  const { path: _, ...listing } = PLACES["x-listing"];
  const contract = { ...PLACES, "x-listing": listing };
  const one = { table: "places", contract, views: ["tag"], parquet: true };
  const listings = { "records.parquet": one, views: one };
  const made = await build({ db, listings, baseUrl: "https://data.example.com", dist: join(folder, "dist") });
  expect(await verify({ what: made.folder })).toMatchObject({ passed: true });
});
