/** Opens text files: their format, gzip, and encodings. */
import { renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type TextSettings, tableNameOf, textFormatOf } from "../../../src/core/source/text-format.js";
import { TextInput } from "../../../src/core/source/text-input.js";
import { scratch } from "../../support/files.js";

function write(bytes: string | Buffer, name = "t.csv"): string {
  const path = join(scratch(), name);
  writeFileSync(path, bytes);
  return path;
}

async function open(bytes: string | Buffer, settings: TextSettings = {}, name = "t.csv"): Promise<TextInput> {
  return TextInput.open(write(bytes, name), "csv", settings, scratch());
}

async function textOf(input: TextInput): Promise<string> {
  let text = "";
  for await (const piece of input.read()) text += piece;
  return text;
}

async function read(bytes: string | Buffer, settings: TextSettings = {}): Promise<string> {
  return textOf(await open(bytes, settings));
}

describe("the format", () => {
  test.each([
    ["a.csv", "csv"],
    ["A.CSV", "csv"],
    ["a.tsv", "tsv"],
    ["a.tab", "tsv"],
    ["a.ndjson", "ndjson"],
    ["a.jsonl", "ndjson"],
    ["data/a.csv.gz", "csv"],
    ["a.tsv.GZ", "tsv"],
    ["a.txt", undefined],
    ["a.sqlite", undefined],
    ["a.gz", undefined],
    ["csv", undefined],
  ])("of %s is %s", (path, format) => {
    expect(textFormatOf(path)).toBe(format);
    expect(textFormatOf(path, { sourceFormat: "ndjson" })).toBe("ndjson");
  });
});

test.each([
  ["data/stations.csv", "stations"],
  ["stations.csv.gz", "stations"],
  ["my.stations.ndjson", "my.stations"],
  ["sqlite_x.csv", "_sqlite_x"],
  ["SQLite_x.csv", "_SQLite_x"],
  ["-", "records"],
])("the table of %s is %s", (path, name) => {
  expect(tableNameOf(path)).toBe(name);
});

describe("encodings", () => {
  const text = "id,name\n1,Jürgen 🌹\n";
  const utf16be = (given: string) => Buffer.from(given, "utf16le").swap16();

  test.each<[string, Buffer | string, TextSettings]>([
    ["UTF-8", text, {}],
    ["UTF-8 with a byte order mark", `\uFEFF${text}`, {}],
    ["UTF-16 LE with a byte order mark", Buffer.from(`\uFEFF${text}`, "utf16le"), {}],
    ["UTF-16 BE with a byte order mark", utf16be(`\uFEFF${text}`), {}],
    ["UTF-16 LE by its name", Buffer.from(text, "utf16le"), { encoding: "utf-16le" }],
    ["UTF-16 BE by its name", utf16be(text), { encoding: "utf-16be" }],
  ])("%s", async (_, bytes, settings) => {
    expect(await read(bytes, settings)).toBe(text);
  });

  test.each([
    ["windows-1252", Buffer.from([0x4a, 0xfc, 0x80]), "Jü€"],
    ["iso-8859-2", Buffer.from([0xa3, 0xf3]), "Łó"],
    ["shift_jis", Buffer.from([0x96, 0xbc]), "名"],
  ])("%s by its name", async (encoding, bytes, expected) => {
    expect(await read(bytes, { encoding })).toBe(expected);
  });

  test.each<[bytes: Buffer, settings: TextSettings, message: RegExp]>([
    [
      Buffer.from("id\n1\nJ\xfcrgen\n", "latin1"),
      {},
      /is not text in UTF-8, from line 3 on; save it as UTF-8, or name its encoding, as in --encoding windows-1252; then compare some letters\.$/,
    ],
    [Buffer.from("gr\x9a\xa7e\r1\r", "latin1"), {}, /from line 1 on; .* as in --encoding macintosh; /],
    [Buffer.from("id\r\n1\r\n\xc3", "latin1"), {}, /from line 3 on; /],
    [Buffer.from("\xff\xfei\0\n\0x", "latin1"), {}, /is not text in UTF-16LE, from line 2 on; /],
    [
      Buffer.from([0x80, 0xff]),
      { encoding: "shift_jis" },
      /is not text in SHIFT_JIS, from line 1 on; name another encoding with --encoding\.$/,
    ],
  ])("names the line that is not in the encoding: %#", async (bytes, settings, message) => {
    await expect(read(bytes, settings)).rejects.toThrow(message);
  });

  test("counts the lines of a long file", async () => {
    const long = Buffer.concat([Buffer.from("äöü,1\n".repeat(50_000)), Buffer.from([0xff])]);
    await expect(read(long)).rejects.toThrow(/is not text in UTF-8, from line 50001 on; /);
  });

  test("a character that two pieces of the file share is one", async () => {
    const text = `${"x".repeat(65_535)}🌹`;
    expect(await read(text)).toBe(text);
  });
});

describe("gzip", () => {
  test("is told by its first bytes, whatever the name", async () => {
    expect(await read(gzipSync("id\n1\n"))).toBe("id\n1\n");
    expect(await textOf(await open("id\n1\n", {}, "t.csv.gz"))).toBe("id\n1\n");
  });

  test("may have several members, another encoding, and any size", async () => {
    expect(await read(Buffer.concat([gzipSync("id\n"), gzipSync("1\n")]))).toBe("id\n1\n");
    expect(await read(gzipSync(Buffer.from("\uFEFFid", "utf16le")))).toBe("id");
    const long = "0123456789\n".repeat(100_000);
    expect(await read(gzipSync(long))).toBe(long);
  });

  test("counts packed bytes", async () => {
    const input = await open(gzipSync("0123456789\n".repeat(100_000)));
    let last = 0;
    for await (const _ of input.read((bytes) => (last = bytes)));
    expect(last).toBe(Number(input.stats.size));
  });

  test("is refused if it is damaged or cut", async () => {
    const whole = gzipSync("id\n1\n".repeat(10_000));
    await expect(read(whole.subarray(0, whole.length - 9))).rejects.toThrow(
      /is a damaged gzip file \(.*\); get it again\.$/,
    );
    await expect(read(whole.fill(0xa5, 20, 24))).rejects.toThrow(/is a damaged gzip file \(.*\); get it again\.$/);
    await expect(read(Buffer.from([0x1f, 0x8b]))).rejects.toThrow(/is a damaged gzip file/);
  });

  test("NULs at the end are padding; NULs before other bytes are refused", async () => {
    const [one, zeros] = [gzipSync("id\n1\n"), Buffer.alloc(100_000)];
    expect(await read(Buffer.concat([one, zeros]))).toBe("id\n1\n");
    await expect(read(Buffer.concat([one, zeros, gzipSync("2\n")]))).rejects.toThrow(
      /is a damaged gzip file \(other bytes follow NULs behind its data\); get it again\.$/,
    );
  });
});

test("tells whether the file was replaced or written to since", async () => {
  const path = write("id\n1\n");
  const input = await TextInput.open(path, "csv", {}, scratch());
  expect(input.isUnchanged()).toBe(true);
  truncateSync(path, 3);
  expect(input.isUnchanged()).toBe(false);
  const other = await TextInput.open(path, "csv", {}, scratch());
  writeFileSync(`${path}.new`, "id\n");
  renameSync(`${path}.new`, path);
  expect(other.isUnchanged()).toBe(false);
});
