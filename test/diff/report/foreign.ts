/** Diffs of other contracts: with one facet, several or none, without times, and hostile ones. */
import type { Diff } from "../../../src/core/compare/change.js";
import { type AnyRecord, type Contract, contractOf } from "../../../src/core/contract/contract.js";
import type { FieldSchema } from "../../../src/core/contract/file/form.js";
import { contractWith } from "../../support/contracts.js";
import { changesIn, diffOf } from "../../support/diffs.js";
import { STATIONS, STATIONS_CONTRACT, stations } from "../../support/stations.js";

const { is_active, sensors, ...others } = STATIONS.properties;

/** Stations with two facets: country and kind. */
const TWO_FACETS = contractOf({
  ...STATIONS,
  properties: { ...others, is_active: { ...is_active, "x-facet": true }, sensors },
});

/** Some added, removed and changed stations. */
export function stationsDiff(contract: Contract = STATIONS_CONTRACT): Diff {
  const { added, removed, changed } = changesIn(contract);
  const records = stations(60).map(({ record }): AnyRecord => record);
  const edit = (at: number, given: AnyRecord) => changed(records[at] ?? {}, { ...records[at], ...given });
  const moves = records
    .slice(10, 20)
    .map((record, at) => changed(record, { ...record, country: at % 2 === 0 ? "CH" : "IT", is_active: true }));
  return diffOf(
    [
      ...records.slice(0, 3).map(added),
      ...records.slice(3, 5).map(removed),
      ...moves,
      edit(20, { name: "Zugspitze", position: { latitude: 47.421, longitude: 10.985 } }),
      edit(21, { sensors: ["rain"], extra: { deep: [1, { a: "b" }] }, readings: 12_345 }),
      edit(22, { closed: "2021-01-01", nickname: "" }),
    ],
    { unchanged: 4321, contract },
  );
}

export const twoFacetsDiff = (): Diff => stationsDiff(TWO_FACETS);

/** Parts with an integer key, and without facet, time and label. */
export function partsDiff(): Diff {
  const fields = { number: { type: "integer" }, title: { type: "string" }, weight: { type: "number" } } as const;
  const contract = contractOf(contractWith(["part", "parts"], fields, { path: "/v1/things/", key: "number" }));
  const { added, removed, changed } = changesIn(contract);
  const part = (number: number, title: string, weight = 1.5) => ({ number, title, weight });
  return diffOf([added(part(7, "Bolt")), removed(part(-3, "")), changed(part(12, "Nut"), part(12, "Wing nut", 2e-7))], {
    contract,
  });
}

const { nickname, ...known } = STATIONS.properties;

/** Stations of a contract with other fields, another facet and other words, compared with those of the first. */
export function otherContractDiff(): Diff {
  const contract = contractOf({
    ...STATIONS,
    description: "A place where the weather is looked at.",
    "x-listing": { ...STATIONS["x-listing"], words: ["observatory", "observatories"], version: 2 },
    properties: {
      ...known,
      altitude: { type: "integer" },
      name: { ...known.name, maxLength: 60, "x-observed": { pattern: "^\\p{L}" } },
      country: { type: "string", pattern: "^[A-Z]{3}$", "x-column": "iso3", "x-facet": true },
    },
    "x-observed": [
      { name: "closed-after-opened", sql: "closed IS NULL OR closed > opened" },
      { name: "under | `the` sea", sql: "altitude >= 0" },
    ],
  });
  const before = contractOf({
    ...STATIONS,
    "x-observed": [...(STATIONS["x-observed"] ?? []), { name: "no-readings", sql: "readings > 0" }],
  });
  const { added, changed } = changesIn(contract);
  const [one, two] = stations(2).map(({ record }): AnyRecord => record);
  return diffOf(
    [added({ ...one, code: "NEW1", altitude: 3 }), changed({ ...two, country: "DE" }, { ...two, country: "DEU" })],
    { unchanged: 58, old: { contract: before }, new: { contract } },
  );
}

/** The same stations under another key, and nothing else. */
export function otherKeyDiff(): Diff {
  const contract = contractOf({
    ...STATIONS,
    "x-listing": { ...STATIONS["x-listing"], key: "name", order: ["name"], label: "code" },
  });
  return diffOf([], { unchanged: 0, old: { contract: STATIONS_CONTRACT }, new: { contract } });
}

/** Hostile words and names. */
const HOSTILE_WORDS = ["<b>`x`|\u202e", "</title><script>alert(1)</script>מפתחות"] as const;
export const HOSTILE_FIELDS = {
  key: "a\u202e|`b`: 1 -> 2",
  facet: "<img src=x onerror=alert(1)>\nkind",
  time: "</script><script>alert(1)//",
  text: "שם [x](javascript:alert(1)) @everyone",
} as const;

export function hostileDiff(): Diff {
  const { key, facet, time, text } = HOSTILE_FIELDS;
  const fields: Record<string, FieldSchema> = {
    [key]: { type: "string" },
    [facet]: { type: "string", "x-facet": true },
    [time]: { type: ["string", "null"], format: "date-time" },
    [text]: { type: "string" },
  };
  const contract = contractOf(contractWith(HOSTILE_WORDS, fields, { path: "/v1/things/", key, label: text }));
  const { added, removed, changed } = changesIn(contract);
  const record = (at: number, given: AnyRecord = {}) => ({
    [key]: `k | \`${at}\`\u202e\n`,
    [facet]: "x -> <b>",
    [time]: `2026-11-${10 + at}T23:30:00.5-05:00`,
    [text]: "</details>",
    ...given,
  });
  return diffOf(
    [
      added(record(1)),
      removed(record(2, { [time]: null })),
      changed(record(3), record(3, { [facet]: "| `y`\u202e", [text]: "" })),
    ],
    { contract },
  );
}
