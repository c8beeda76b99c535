/** What a row of records.csv.gz holds, and what spreadsheets must not run. */
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { contractOf } from "../../../../src/core/contract/contract.js";
import type { FieldSchema } from "../../../../src/core/contract/file/form.js";
import { csvColumns, csvHeading, csvLineOf } from "../../../../src/core/contract/record/csv.js";
import { STATIONS, STATIONS_CONTRACT, stations } from "../../../support/stations.js";

const line = (schema: FieldSchema, value: unknown) => {
  const contract = contractOf({ ...STATIONS, properties: { ...STATIONS.properties, code: schema } });
  return csvLineOf({ fields: contract.fields.filter(({ path }) => path === "code") })({ code: value });
};
const TEXT: FieldSchema = { type: "string" };

test.each<[name: string, schema: FieldSchema, value: unknown, cell: string]>(
  [
    ["null", { type: ["string", "null"] }, null, ""],
    ["an empty text", TEXT, "", '""'],
    ["a text", TEXT, "Ünïcode 🕊", "Ünïcode 🕊"],
    ["a comma", TEXT, "a,b", '"a,b"'],
    ["a semicolon", TEXT, "x;=1+1", '"x;=1+1"'],
    ["a tab", TEXT, "x\t=1+1", '"x\t=1+1"'],
    ["a quote", TEXT, 'say "hi"', '"say ""hi"""'],
    ["line breaks", TEXT, "a\nb\r\nc", '"a\nb\r\nc"'],
    ["a flag", { type: "boolean" }, false, "false"],
    ["a negative integer", { type: "integer" }, -5, "-5"],
    ["a number", { type: "number" }, 1e21, "1e+21"],
    ["a list", { type: "array", items: TEXT }, ["a", "=b"], '"[""a"",""=b""]"'],
    ["an empty list", { type: "array", items: TEXT }, [], "[]"],
    ["any JSON, an object", { "x-json": true }, { b: 1, a: null }, '"{""a"":null,""b"":1}"'],
    ["any JSON, a text", { "x-json": true }, "=1", '"""=1"""'],
    ["any JSON, a number", { "x-json": true }, -1, "-1"],
    ["any JSON, null", { "x-json": true }, null, ""],
    ...["=1+1", "+1", "-1", "@a", "＝1+1", "＋1", "－1", "＠a"].map(
      (text) => [`a formula ${text}`, TEXT, text, `'${text}`] as const,
    ),
    ["a formula behind a tab", TEXT, "\tx", `"'\tx"`],
    ["a formula behind a line break", TEXT, "\r=1", `"'\r=1"`],
    ["a formula with a comma", TEXT, '=A("1",2)', `"'=A(""1"",2)"`],
    ["what is no formula", TEXT, " =1", " =1"],
  ].map((row) => row as [string, FieldSchema, unknown, string]),
)("%s", (_, schema, value, cell) => {
  expect(line(schema, value)).toBe(cell);
});

test("columns have the order of the contract file", () => {
  const names = ["C2", "C10", "C1"];
  const properties = Object.fromEntries(names.map((name) => [name, TEXT]));
  const { fields } = csvColumns(contractOf({ ...STATIONS, properties: { ...STATIONS.properties, ...properties } }));
  expect(fields.slice(-3).map(({ path }) => path)).toEqual(names);
});

test("columns are named by the paths of fields, no two alike", () => {
  expect(csvHeading(csvColumns(STATIONS_CONTRACT))).toBe(
    "code,name,nickname,country,opened,closed,position.latitude,position.longitude,sensors,is_active,readings,extra",
  );
  const more = { position_latitude: { type: "string", "x-column": "other" }, "=a,b": TEXT } as const;
  const contract = contractOf({ ...STATIONS, properties: { ...STATIONS.properties, ...more } });
  const names = csvHeading(csvColumns(contract));
  expect(names.split(",").filter((name) => /latitude/.test(name))).toEqual(["position.latitude", "position_latitude"]);
  expect(names).toMatch(/,"'=a,b"$/);
});

test("a reader of CSV finds every value", () => {
  const all = stations(20).map(({ record }) => record);
  const lineOf = csvLineOf(csvColumns(STATIONS_CONTRACT));
  const text = `${[csvHeading(csvColumns(STATIONS_CONTRACT)), ...all.map(lineOf)].join("\n")}\n`;
  const rows: Record<string, string>[] = parse(text, { columns: true });
  expect(rows).toEqual(
    all.map(({ position, sensors, extra, closed, ...record }) => {
      const { latitude, longitude } = position as Record<string, number>;
      return {
        ...Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)])),
        ...{ "position.latitude": `${latitude}`, "position.longitude": `${longitude}`, closed: closed ?? "" },
        ...{ sensors: JSON.stringify(sensors), extra: expect.any(String) },
      };
    }),
  );
  expect(rows.map(({ extra }) => JSON.parse(extra || "null"))).toEqual(all.map(({ extra }) => extra));
});
