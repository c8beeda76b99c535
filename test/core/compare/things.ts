/** A small contract with any kind of key, and releases of given rows. */
import { join } from "node:path";
import Database from "better-sqlite3";
import type { BuildResult } from "../../../src/build/result.js";
import type { ContractFile, FieldSchema, Listing } from "../../../src/core/contract/file/form.js";
import { build } from "../../../src/index.js";

export interface Thing {
  key: string | number;
  size: number;
  note: string;
  kind: "a" | "b" | "c" | null;
}

const FIELDS: Record<keyof Thing, FieldSchema> = {
  key: { type: "string" },
  size: { type: "integer" },
  note: { type: "string" },
  kind: { enum: ["a", "b", "c", null], "x-facet": true },
};

/** @param fields that differ from the default; undefined to omit one. */
export function contractOfThings(
  fields: { readonly [name: string]: FieldSchema | undefined } = {},
  listing: Partial<Listing> = {},
): ContractFile {
  const all = Object.entries({ ...FIELDS, ...fields }).filter(([, schema]) => schema !== undefined);
  const properties = Object.fromEntries(all) as ContractFile["properties"];
  return {
    type: "object",
    "x-listing": {
      ...{ path: "/things/", words: ["thing", "things"], key: "key", order: ["-size", "key"], version: 1 },
      ...listing,
    },
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** Publishes things as the current release of a folder. */
export async function publishThings(
  folder: string,
  contract: ContractFile,
  things: readonly object[],
  options: Partial<Parameters<typeof build>[0]> = {},
): Promise<BuildResult> {
  const file = join(folder, `${Math.random()}.sqlite`);
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  const names = Object.keys(contract.properties);
  db.exec(`CREATE TABLE things (${names})`);
  const insert = db.prepare(`INSERT INTO things (${names}) VALUES (${names.map((name) => `@${name}`)})`);
  // better-sqlite3 binds a bigint as INTEGER.
  const bound = (value: unknown) => (typeof value === "number" ? BigInt(value) : value);
  db.transaction(() => {
    for (const thing of things)
      insert.run(Object.fromEntries(Object.entries(thing).map(([name, value]) => [name, bound(value)])));
  })();
  db.close();
  const given = { baseUrl: "https://things.example.com", pageSize: 30, workers: 0, ...options };
  return build({ db: file, contract, table: "things", dist: join(folder, "dist"), ...given });
}
