import { expect, test } from "vitest";
import { type BuildOptions, build } from "../../src/index.js";
import { plainRows, usersFile } from "../support/database.js";
import { scratch } from "../support/files.js";

test.each<Partial<BuildOptions>>([
  { bulk: true },
  { csv: true },
  { parquet: true },
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
