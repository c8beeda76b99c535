/** A compiled contract stays as it was checked, whoever holds it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import { loadContract } from "../../../src/core/contract/file/load.js";
import { build, openRelease } from "../../../src/index.js";
import { scratch } from "../../support/files.js";
import { STATIONS, stationsFile } from "../../support/stations.js";

// biome-ignore lint/suspicious/noExplicitAny: the tests change what is read-only
type Rough = any;

/** The paths of all objects in a value that can be changed. */
function changeable(value: unknown, path = "contract"): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) => changeable(member, `${path}.${name}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}

test("the contract of an open release cannot be changed, and builds again", async () => {
  const folder = scratch();
  const db = stationsFile(3);
  const options = { db, baseUrl: "https://example.com", dist: join(folder, "dist") };
  const built = await build({ ...options, contract: STATIONS });
  const { contract } = await openRelease(built.folder);
  expect(changeable(contract)).toEqual([]);
  expect(() => {
    (contract.file as Rough).properties.name.patern = "x";
  }).toThrow(TypeError);
  expect(await build({ ...options, contract: contract.file })).toMatchObject({ id: built.id, new: false });
});

test("an object that was changed after it was compiled is checked", async () => {
  // Another text than in other tests, since a text is compiled once.
  const given: Rough = structuredClone({ ...STATIONS, title: "Compiled, then changed" });
  const { file } = contractOf(given);
  given.properties.name.patern = "x";
  expect(file.properties).toEqual(STATIONS.properties);
  await expect(loadContract(given)).rejects.toMatchObject({
    details: ["/properties/name/patern is not a keyword of a field; did you mean pattern?"],
  });
});
