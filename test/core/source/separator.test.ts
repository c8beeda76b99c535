/** How a CSV or TSV file is written: its separator and its quotes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../src/core/errors.js";
import { findDialect } from "../../../src/core/source/separator.js";
import { type TextSettings, textFormatOf } from "../../../src/core/source/text-format.js";
import { TextInput } from "../../../src/core/source/text-input.js";
import { scratch } from "../../support/files.js";

async function dialectOf(name: string, text: string, settings: TextSettings = {}) {
  const folder = scratch();
  const path = join(folder, name);
  writeFileSync(path, text);
  return findDialect(await TextInput.open(path, textFormatOf(path, settings) ?? "csv", settings, folder));
}

const lines = (...all: string[]) => `${all.join("\n")}\n`;

test.each<[separator: string, what: string, text: string]>([
  [",", "commas", lines("id,name", "1,a")],
  [";", "semicolons", lines("id;name", "1;a")],
  ["\t", "tabs", lines("id\tname", "1\ta")],
  ["|", "bars", lines("id|name", "1|a")],
  [";", "semicolons beside decimal commas", lines("Preis (EUR, brutto);Menge", "1,50;3", "2,00;4")],
  [",", "commas beside semicolons in texts", lines("id,note;s", "1,a;b", "2,c;d")],
  [";", "semicolons beside commas in texts", lines("id,s;note", "1;a,b", "2;c,d")],
  ["\t", "tabs beside bars and commas", lines("a|b\tc", "1|2\t3,5", "1|2\t4,5")],
  [",", "commas in quotes, and outside", lines('id,"a;b"', '1,"x;y"')],
  [";", "semicolons around quoted commas", lines('"a,b";c', '"1,2";3', '"4,5";6')],
  [",", "only a first line", lines("id,name")],
  [",", "a quoted line end", lines('id,"na', 'me"', '1,"a', 'b"')],
  [",", "empty lines between", lines("id,name", "", "1,a", "")],
  [",", "CRLF", "id,name\r\n1,a\r\n"],
])("%j is found for %s", async (separator, _, text) => {
  expect(await dialectOf("t.csv", text)).toEqual({ separator, quote: '"', firstLine: 1 });
});

test("only the first 20 records are looked at", async () => {
  const { separator } = await dialectOf("t.csv", lines("id;name", ...Array(19).fill("1;a"), "2"));
  expect(separator).toBe(";");
});

test("Excel's sep= is obeyed, and is not the line of names", async () => {
  for (const line of ["sep=;", "SEP=;"])
    expect(await dialectOf("t.csv", lines(line, "a,b;c,d", "1,2;3,4"))).toMatchObject({ separator: ";", firstLine: 2 });
  expect(await dialectOf("t.csv", "sep=|\r\na|b\r\n1|2")).toMatchObject({ separator: "|", firstLine: 2 });
  expect(await dialectOf("t.tsv", lines("sep=;\tb", "1\t2"))).toMatchObject({ separator: "\t", firstLine: 1 });
});

test("a named separator wins", async () => {
  const text = lines("a,b;c", "1,2;3");
  expect(await dialectOf("t.csv", text, { separator: "," })).toMatchObject({ separator: "," });
  expect(await dialectOf("t.csv", text, { separator: ";" })).toMatchObject({ separator: ";" });
  expect(await dialectOf("t.csv", text, { separator: "~" })).toMatchObject({ separator: "~" });
  expect(await dialectOf("t.csv", lines("sep=;", "a;b"), { separator: "," })).toMatchObject({ separator: "," });
});

test("a file of one column has no separator", async () => {
  const found = await dialectOf("t.csv", lines("name", "Berlin", "Bonn"));
  expect(found).toMatchObject({ quote: '"', firstLine: 1 });
  expect(found.note).toBeUndefined();
  expect([",", ";", "\t", "|"]).not.toContain(found.separator);
});

test("a file of one column with another separator in most lines is read, and that is said", async () => {
  const { note } = await dialectOf("t.csv", lines("names", "a;b;c", "d;e", "f;g;h;i"));
  expect(note).toBe("read as one column, though most lines have semicolons; --separator names a separator");
});

test("a file of columns of a fixed width is one column, and that is said", async () => {
  const { note } = await dialectOf(
    "t.csv",
    lines("ID    NAME        LAT", "00044 Ulm         52.93", "00073 Bad   Aibling"),
  );
  expect(note).toBe(
    "read as one column, though most lines have runs of spaces; separate the columns by commas or tabs",
  );
});

test.each([
  [lines("id,name", "1,a", "2", "3,c"), "t.csv, line 3: the row has 1 value by commas, where most lines have 2.", ""],
  [
    lines("Stations of 2026", "", "id;name", "1;a", "2;b"),
    "t.csv, line 1: the row has 1 value by semicolons, where most lines have 2.",
    ", if they are in line 3",
  ],
  [lines("id,name", "1", "2", "3"), "t.csv, line 2: the row has 1 value by commas, where the first line has 2.", ""],
])("a line that differs is named: %j", async (text, message, place) => {
  const error = await dialectOf("t.csv", text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message.replace(/^.*\//, "")).toBe(
    `${message} The first line names the columns: correct the line, remove lines above the names${place}, or pass --separator.`,
  );
});

test.each<[quote: string | null, what: string, text: string]>([
  ['"', "well-formed ones", lines('"id"\tname', '1\t"a ""b"""')],
  [null, "one within a value", lines("id\tname", '1\tfoot 6"')],
  [
    null,
    "one that opens a value and one that closes another",
    lines("id\tname", '1\t"open', '2\tfoot 6"', '3\tclose"'),
  ],
  [null, "one value that is not well-formed, in the last line", lines("id\tname", '1\t"a"', '2\t"b"c')],
  [null, "one that is not closed", lines("id\tname", '1\t"a', "2\tb")],
])("quotes of a TSV file: %j for %s", async (quote, _, text) => {
  expect(await dialectOf("t.tsv", text)).toMatchObject({ separator: "\t", quote });
  expect(await dialectOf("t.tab", text)).toMatchObject({ quote });
});

test("a quoted value of TSV that would join lines is refused, unless --quote decides", async () => {
  const text = lines("id\tname", '1\t"a', '2\tb"');
  await expect(dialectOf("t.tsv", text)).rejects.toThrow(
    /t\.tsv, line 3: a quote joins several lines into one value\. Pass --quote none if .*, or --quote '"' if /,
  );
  expect(await dialectOf("t.tsv", text, { quote: "none" })).toMatchObject({ quote: null });
  expect(await dialectOf("t.tsv", text, { quote: '"' })).toMatchObject({ quote: '"' });
});
