/** Another validator agrees with ours on randomly changed records, for the schemas of publisher and reader. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeApi } from "../../../../src/build/artifacts/openapi/openapi.js";
import { type AnyRecord, type Contract, contractOf } from "../../../../src/core/contract/contract.js";
import { recordCheck } from "../../../../src/core/contract/record/schema.js";
import { quoteName, toSql } from "../../../../src/core/contract/sql.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { FOREIGN, type Foreign, type Values } from "../../../support/foreign.js";
import { type Random, seeded } from "../../../support/random.js";
import { stations } from "../../../support/stations.js";
import { anyUser } from "../../../support/users.js";
import { reading } from "./described.js";

const RECORDS = 10_000;

interface Changed {
  record: unknown;
  /** Whether a field was added, which only the publisher's schema refuses. */
  isAdded: boolean;
}

/** What a value becomes. No halves of surrogate pairs and no integers beyond 2^53, for which JSON Schema has no words. */
const TEXTS = [
  "text é🕊 DE de XXX NONE unknown 2026-01-31 2026-02-30 2026-01-31T23:59:59Z 2026-01-31T23:59:59.123456Z fr courant",
  "2026-01-31T25:00:00.123456Z 1970-01-01T00:00:00 https://example.com/ ftp://example.com/ example.com https:/x",
  `0x${"aB".repeat(20)} 7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53 7F3C2A10-0D5E-4B8E-9C41-2F6B8D1E0A53`,
].flatMap((text) => text.split(" "));
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, -90.5, 1e15, "", " ", "0", ...TEXTS],
  ...[[], {}, [1], ["DE"], ["de", "DE"], { a: 1 }, [null], ["temp"]],
];

/** A record with one value or member changed, somewhere in it. */
function change(record: AnyRecord, random: Random): Changed {
  const copy = structuredClone(record);
  let inside: AnyRecord = copy;
  let name = random.of(Object.keys(inside));
  for (let deeper = inside[name]; isFilled(deeper) && random.chance(0.8); deeper = inside[name]) {
    inside = deeper;
    name = random.of(Object.keys(inside));
  }
  const way = random.below(10);
  if (way === 0) delete inside[name];
  else if (way === 1) inside[`further${random.below(3)}`] = random.of(VALUES);
  else if (way === 2) inside[name] = nudge(inside[name], random);
  else if (way > 3) inside[name] = random.of(VALUES);
  return { record: copy, isAdded: way === 1 };
}

function isFilled(value: unknown): value is AnyRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** A text with one character more, less or another, or a number beside it. */
function nudge(value: unknown, random: Random): unknown {
  if (typeof value === "number") return value + random.of([-1, 1, 0.5]);
  if (Array.isArray(value)) return [...value, random.of([...value, ...VALUES])];
  if (typeof value !== "string") return random.of(VALUES);
  const characters = [...value];
  const at = random.below(characters.length + 1);
  characters.splice(at, random.below(2), ...random.of([[], ["x"], ["7"], ["Z"], [" "]]));
  return characters.join("");
}

/** Whether ajv takes each record by a schema. */
function byAjv(schema: object, records: readonly unknown[]): boolean[] {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return records.map((record) => validate(record));
}

/** Records that are valid and where they differ in what they hold. */
function validRecords(contract: Contract, seed: number): AnyRecord[] {
  if (contract === USERS_CONTRACT) return fc.sample(anyUser, { numRuns: 200, seed }) as unknown as AnyRecord[];
  if (contract.listing.path === "/v1/stations/") return stations(200).map(({ record }) => record as AnyRecord);
  const { fill, record } = FOREIGN.find(({ contract: { title } }) => title === contract.file.title) as Foreign;
  const db = new Database(":memory:");
  db.exec(toSql(contract) + fill);
  const rows = db.prepare<[], Values>(`SELECT * FROM ${quoteName(contract.listing.words[1])}`).all();
  db.close();
  return rows.map((row) => record(row) as AnyRecord);
}

const CONTRACTS: [string, Contract][] = [
  ["users", USERS_CONTRACT],
  ...FOREIGN.map(({ contract }): [string, Contract] => [contract["x-listing"].words[1], contractOf(contract)]),
];

describe.each(CONTRACTS)("%s", (_name, contract) => {
  const random = seeded();
  const check = recordCheck(contract);
  const valid = validRecords(contract, random.below(2 ** 31)).filter((record) => check(record).length === 0);
  const changed = Array.from({ length: RECORDS }, () => change(random.of(valid), random)).filter(({ record }) =>
    isSaid(record),
  );
  const ours = changed.map(({ record }) => check(record).length === 0);
  const records = changed.map(({ record }) => record);

  const { document, record: name } = reading(
    describeApi(contract, { baseUrl: "https://a.example", links: "query", encodings: [], files: [] }),
  );
  const readers = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...document.components["schemas"]?.[name],
  };

  /** Where a validator does not say what ours does; by the reader's schema, a record with a further field is valid. */
  const disagreeing = (theirs: readonly boolean[], isReader: boolean) =>
    changed.filter(({ isAdded }, at) => theirs[at] !== ours[at] && !(isReader && isAdded)).map(({ record }) => record);

  test("has valid and invalid cases", () => {
    expect(changed.length).toBeGreaterThan(0.9 * RECORDS);
    expect(ours.filter(Boolean).length).toBeGreaterThan(1000);
    expect(ours.filter((isValid) => !isValid).length).toBeGreaterThan(1000);
  });

  test("ajv", () => {
    expect(disagreeing(byAjv(contract.file, records), false)).toEqual([]);
    expect(disagreeing(byAjv(readers, records), true)).toEqual([]);
    const added = changed.filter(({ isAdded }) => isAdded).map(({ record }) => record);
    expect(byAjv(readers, added).filter(Boolean).length).toBeGreaterThan(
      byAjv(contract.file, added).filter(Boolean).length,
    );
  });
});

/**
 * Not halves of surrogate pairs, no integer that a double cannot tell from its neighbour, no time that only ajv-formats takes
 * (a space for its T, an offset without a colon), and no URL that one standard takes (WHATWG, by which browsers read) and
 * another does not (RFC 3986).
 */
function isSaid(record: unknown): boolean {
  const text = JSON.stringify(record);
  const urls = text.match(/"[a-z]+:\/\/[^"]*"/gi) ?? [];
  const isUnsaid = /\\ud[89a-f]|\d{4}-\d\d-\d\d\s\d\d:|T[\d:.]+[+-]\d\d(?:\d\d)?"|\b9007199254740992\b/.test(text);
  return !isUnsaid && urls.every((url) => RFC_3986.test(url.slice(1, -1)));
}

const RFC_3986 = /^[a-z]+:\/\/[\w.-]+(?::\d+)?(?:[/?#](?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i;
