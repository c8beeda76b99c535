/** Three contracts other than users, each with a source made in SQL and its expected records. */
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { STATIONS } from "./stations.js";

export type Values = Readonly<Record<string, unknown>>;

export interface Foreign {
  contract: ContractFile;
  /** Settings besides where the source and the listing are. */
  config: Readonly<Record<string, unknown>>;
  /** Fills the table that the contract's own SQL creates. */
  fill: string;
  /** The record of each row, made without the contract. */
  record(row: Values): unknown;
  /** The published order as an ORDER BY clause, made without the contract. */
  order: string;
}

/** The example of docs/reference/contract-file.md, with as many rows as a real source may have. */
const OF_STATIONS: Foreign = {
  contract: STATIONS,
  config: { compress: ["br", "gzip"], pageSize: 500 },
  fill: `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
    INSERT INTO stations (code, name, nickname, iso2, opened, closed, position_latitude, position_longitude, sensors,
      is_active, readings, extra)
    SELECT printf('ST%06d', i), 'Station “' || i || '” 🌦', CASE WHEN i % 3 THEN 'nick ' || i END,
      substr('ATDEFRJP', 1 + i % 4 * 2, 2), printf('%d-02-%02d', 1950 + i % 70, 1 + i % 28),
      CASE WHEN i % 5 = 0 THEN printf('2020-12-%02d', 1 + i % 31) END,
      i * 7919 % 18000 / 100.0 - 90, i * 104729 % 36000 / 100.0 - 180,
      CASE i % 3 WHEN 0 THEN '[]' WHEN 1 THEN '["temp"]' ELSE '["wind", "rain"]' END, i % 2,
      i + (i = 4321) * 1000000,
      CASE i % 4 WHEN 0 THEN 'null' WHEN 1 THEN '{"z": 1, "a": [' || i || ', "é"]}' WHEN 2 THEN '"text"' ELSE '0.25' END
    FROM n;
    UPDATE stations SET closed = '1900-01-01' WHERE code = 'ST000005';`,
  record: ({ code, name, nickname, iso2, opened, closed, sensors, is_active, readings, extra, ...row }) => ({
    ...{ code, name, nickname: nickname ?? name, country: iso2, opened, closed, readings },
    position: { latitude: row["position_latitude"], longitude: row["position_longitude"] },
    ...{ sensors: JSON.parse(String(sensors)), is_active: is_active === 1, extra: JSON.parse(String(extra)) },
  }),
  order: "iso2, opened DESC, code",
};

/** Reserved names, every rule for NULL, nested objects, and ties in a descending order. */
const ART: ContractFile = {
  title: "Work of art",
  description: 'A "work" of -- art;\nor not.',
  type: "object",
  "x-listing": {
    path: `/-/${"long.~_-".repeat(10)}/api/${"Z9".repeat(40)}/`,
    words: ["work of art", "works of art"],
    key: "constructor",
    order: ["-year", "the größe.höhe in cm", "-constructor"],
    label: 'sa"id',
    version: 7,
  },
  properties: {
    constructor: { type: "integer" as const, description: "A number's own." },
    year: { type: "integer", minimum: -5000, maximum: 3000 },
    'sa"id': { type: "string", "x-column": 'a "column"', "x-null": { const: "it's nothing" }, "x-facet": true },
    "also known as": { type: "string", "x-null": { field: 'sa"id' } },
    first: { type: ["string", "null"] },
    last: { type: ["string", "null"] },
    "by/whom": {
      type: "string",
      "x-null": { join: ["first", "last"], empty: { join: ["also known as", "état"], empty: { const: "nobody" } } },
    },
    état: { enum: ["neuf", "abîmé; DROP", null] },
    "the größe": {
      type: "object",
      properties: {
        "höhe in cm": { type: "integer" },
        "🖼": {
          type: "object",
          properties: {
            toString: { type: "boolean" as const, "x-null": { const: false } },
            "'": { type: ["number", "null"] },
          },
          required: ["toString", "'"],
          additionalProperties: false,
        },
      },
      required: ["höhe in cm", "🖼"],
      additionalProperties: false,
    },
    image: { type: "string", format: "uri", "x-null": { setting: "defaultAvatar" } },
    "<b>&amp;|`*_": { type: "string" },
  },
  required: [
    ...["constructor", "year", 'sa"id', "also known as", "first", "last", "by/whom", "état", "the größe", "image"],
    "<b>&amp;|`*_",
  ],
  additionalProperties: false,
  "x-observed": [{ name: "named", sql: `"a ""column""" IS NOT NULL OR year > 0` }],
};

const OF_ART: Foreign = {
  contract: ART,
  config: { compress: ["br", "gzip"], pageSize: 7, links: "path", defaultAvatar: "https://example.com/none.png" },
  fill: `WITH RECURSIVE n(i) AS (SELECT -100 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO "works of art" (constructor, year, "a ""column""", "also known as", first, last, "by/whom", état,
      "the größe_höhe in cm", "the größe_🖼_toString", "the größe_🖼_'", image, "<b>&amp;|\`*_")
    SELECT i * 45035996273704, 2000 - abs(i) / 50 * 1500, CASE WHEN i % 4 THEN '“' || i || '”' || char(10) || '"\\' END,
      CASE WHEN i % 3 THEN 'aka ' || i END, CASE WHEN i % 2 THEN 'Ann' END, CASE WHEN i % 5 THEN '  Øre ' END,
      CASE WHEN i % 7 = 0 THEN 'by ' || i END, CASE i % 3 WHEN 0 THEN 'neuf' WHEN 1 THEN 'abîmé; DROP' END,
      i / 90, CASE WHEN i % 6 THEN i % 2 <> 0 END, CASE WHEN i % 2 THEN i / 7.0 END,
      CASE WHEN i % 8 THEN 'https://example.com/' || i END, '</script>' || char(0x2028) || i FROM n;`,
  record(row) {
    const said = row['a "column"'] ?? "it's nothing";
    const known = row["also known as"] ?? said;
    const join = (...texts: unknown[]) =>
      texts
        .map((text) => text ?? "")
        .join(" ")
        .trim();
    const by = join(row["first"], row["last"]) || join(known, row["état"]);
    return {
      ...{ constructor: row["constructor"], year: row["year"], 'sa"id': said, "also known as": known },
      ...{ first: row["first"], last: row["last"], "by/whom": row["by/whom"] ?? by, état: row["état"] },
      "the größe": {
        "höhe in cm": row["the größe_höhe in cm"],
        "🖼": { toString: row["the größe_🖼_toString"] === 1, "'": row["the größe_🖼_'"] },
      },
      image: row["image"] ?? "https://example.com/none.png",
      "<b>&amp;|`*_": row["<b>&amp;|`*_"],
    };
  },
  order: `year DESC, "the größe_höhe in cm", constructor DESC`,
};

/** Keys of any text, lists, enums and choices, and warnings of many kinds. */
const MOTS: ContractFile = {
  type: "object",
  "x-listing": { path: "/mots/", words: ["mot", "mots"], key: "mot", order: ["-sorte", "mot"], version: 1 },
  properties: {
    mot: { type: "string" },
    sorte: { type: "string" },
    // Most rows have the first one.
    usage: { enum: ["courant", "rare", "vieilli"], "x-observed": { enum: ["courant", "rare"] }, "x-facet": true },
    genre: { enum: ["f", "m", null] },
    sens: { type: "array", minItems: 1, items: { type: "string", minLength: 2 }, "x-observed": { maxItems: 2 } },
    années: { type: "array", uniqueItems: true, items: { type: "integer" } },
    sources: {
      type: "array",
      items: {
        type: "object",
        properties: { titre: { type: "string" }, page: { type: ["integer", "null"] } },
        required: ["titre", "page"],
        additionalProperties: false,
      },
    },
    rang: { anyOf: [{ type: "integer", minimum: 1 }, { const: "aucun" }] },
    vu: { type: ["string", "null"], format: "date-time" },
    langue: { const: "fr" },
  },
  required: ["mot", "sorte", "usage", "genre", "sens", "années", "sources", "rang", "vu", "langue"],
  additionalProperties: false,
  "x-observed": [
    { name: "short", sql: "length(mot) < 200" },
    { name: "genre-of-nouns", sql: "sorte <> 'nom' OR genre IS NOT NULL" },
  ],
};

/** U+FFEE comes before U+1F54A in UTF-8, and after it in UTF-16. */
const OF_MOTS: Foreign = {
  contract: MOTS,
  config: { compress: ["gzip"], pageSize: 10 },
  fill: `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
    INSERT INTO mots SELECT
      CASE i WHEN 0 THEN char(0xffee) WHEN 2 THEN char(0x1f54a) WHEN 4 THEN 'a "b" \\ c' WHEN 6 THEN 'a' || char(10) || 'b'
        WHEN 8 THEN '  ' WHEN 10 THEN replace(printf('%300s', 'é'), ' ', 'x') WHEN 12 THEN replace(printf('%300s', 'è'), ' ', 'x')
        WHEN 14 THEN ' ' WHEN 16 THEN '1' WHEN 18 THEN 'null' WHEN 20 THEN char(0x7f) || char(1) || char(0x85)
        WHEN 22 THEN 'cote  d' WHEN 24 THEN '-x' WHEN 26 THEN '=1+1' WHEN 28 THEN '<b>' ELSE 'mot ' || i END,
      CASE i % 2 WHEN 0 THEN 'nom' ELSE 'Verbe' END,
      CASE i % 30 WHEN 0 THEN 'vieilli' WHEN 1 THEN 'rare' ELSE 'courant' END, CASE i % 4 WHEN 0 THEN 'f' WHEN 2 THEN 'm' END,
      CASE WHEN i % 40 = 1 THEN '["un", "de\\"ux", "trois"]' ELSE '["le sens\\n' || i || '"]' END,
      CASE i % 3 WHEN 0 THEN '[]' ELSE '[' || i || ', -1]' END,
      CASE i % 5 WHEN 0 THEN '[{"page": null, "titre": "Littré"}, {"titre":"Robert","page":' || i || '}]' ELSE '[]' END,
      CASE WHEN i % 3 THEN i ELSE 'aucun' END, CASE WHEN i % 6 THEN '2026-01-02T03:04:05.5+02:00' END, 'fr' FROM n;`,
  record: ({ mot, sorte, usage, genre, rang, vu, langue, ...lists }) => ({
    ...{ mot, sorte, usage, genre, rang, vu, langue },
    ...Object.fromEntries(Object.entries(lists).map(([name, text]) => [name, JSON.parse(String(text))])),
  }),
  order: "sorte DESC, mot",
};

export const FOREIGN: readonly Foreign[] = [OF_ART, OF_MOTS, OF_STATIONS];
