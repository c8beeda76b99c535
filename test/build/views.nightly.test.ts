/** Views with as many values as are allowed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build, verify } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { PLACES, places, writePlaces } from "../support/places.js";

test("10,000 values of a view are published, and 10,001 are refused", { timeout: 600_000 }, async () => {
  const folder = scratch();
  const options = {
    table: "places",
    contract: PLACES,
    baseUrl: "https://data.example.com",
    dist: join(folder, "dist"),
  };
  const make = (count: number) => {
    const db = writePlaces(join(folder, "places.sqlite"), places(count));
    return build({ ...options, db, views: { id: { by: "id", most: 10_000 } } });
  };
  const made = await make(10_000);
  expect(readdirSync(join(made.folder, "views/id"))).toHaveLength(10_000);
  await expect(make(10_001)).rejects.toMatchObject({
    exitCode: 1,
    message: "views.id has 10,001 values, and most is 10,000, at most 10,000; use --lookup to find records by name.",
  });
  expect(await verify({ what: options.dist })).toMatchObject({ passed: true });
});
