/** The fast check of a page accepts only records that are valid, canonical, and without warnings. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { validator } from "../../../src/build/validator.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { PageReader } from "../../../src/core/source/reader.js";
import { openSource } from "../../support/candidates.js";
import { type Row, userId, usersFile, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { encodeUser } from "../../support/users.js";

const SOURCE_COLUMNS = USERS_CONTRACT.fields.map(({ column }) => column);
const validate = validator(USERS_CONTRACT);

const AVATAR = "https://directory.example.com/avatar.svg";

/** Checks each row of a file as a separate page. @returns the number of plain ones. */
async function countPlain(db: string, table = "users", defaultAvatar = AVATAR): Promise<number> {
  const source = await openSource({ db, contract: USERS_CONTRACT, table, defaultAvatar });
  const reader = new PageReader(source.copy, { contract: USERS_CONTRACT.file, defaultAvatar });
  let plain = 0;
  for (let before = 0; before < source.count; before++) {
    const range = { before, rows: 1 };
    const text = reader.readText(range);
    if (!text.isPlain(text.records.toString("latin1"))) continue;
    plain++;
    const [candidate] = reader.candidates(range);
    const warnings = {};
    expect(candidate && validate(candidate, warnings)).toEqual([]);
    expect(text.records.toString()).toBe(encodeUser(candidate?.record));
    expect(warnings).toEqual({});
  }
  reader.close();
  source.close();
  return plain;
}

const TEXTS = [
  ...["", " ", "0", "1", "-1", "1.0", "null", "true", '"', "\\", "a\u0000b", "GB", "GB\u0000", "G\u0000B"],
  ...["gb", "GBR", "\u0130"],
  ...["[]", "[ ]", "[] ", "[[]]", "{}", "[1]", '["EN"]', '["EN", "FR"]', '["EN","FR"]', '["EN" ,"FR"]'],
  ...['["en"]', '["EN",]', '["E", "F"]'],
  ...['["EN-","FR"]', '["PT-BR","ZH-HANT-TW"]', '["EN\\", \\"FR"]', '["\\u0045N"]'],
  ...["1970-01-01T00:00:00", "1970-01-01T00:00:00Z", "2026-01-31T23:59:59.123456Z", "2026-01-31T23:59:59.12345Z"],
  ...["2026-01-31T24:00:00.000000Z", "2026-01-31T23:60:00.000000Z", "2026-13-01T00:00:00.000000Z"],
  ...["2026-00-10T00:00:00.000000Z"],
  ...[
    "2024-02-29",
    "2023-02-29",
    "1900-02-29",
    "2000-02-29",
    "2100-02-29",
    "0000-02-29",
    "2026-04-31",
    "2026-06-30",
    "2026-11-31",
  ].map((date) => `${date}T00:00:00.000000Z`),
  ...["https://a.example", "https://a.example/b_c~(d).jpg?x=1&y=2", "https://1.2.3.999/", "https://1.2.3.4/"],
  ...["https://xn--0.example/"],
  ...["HTTPS://A.EXAMPLE/", "http://[::1]/", 'https://a.b/?q="', "https://a.b/\\", "https://a.b/ c"],
  ...["https://a.b/%zz", "https://a.b:99999/"],
  ...["ftp://a.b", "https://a..b/", "https://-a.example/", "https://a-.example/", "https://a_b.example"],
  ...["https://.example", "https://a.b"],
  ...['GB","current_location":"FR', 'x","y":"', "VERIFIED", "verified", "unknown", "UNKNOWN", "normal", "Normal"],
  ...[`0x${"aA".repeat(20)}`, `0X${"aA".repeat(20)}`, `0x${"aA".repeat(19)}`, userId(7)],
  ...[userId(7).toUpperCase(), "\ud83d\ude00 \u2028 \u0007"],
];
const OTHERS = [
  ...[null, 0n, 1n, 2n, 3n, 4n, 5n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n), 10n ** 15n, 0.5, 0, 1, 3],
  ...[2e15, 1e300, -0.5],
];
const BLOBS = ["c3", "80", "eda080", "f09f98"].map((bytes) => Buffer.from(bytes, "hex"));
const VALUES = [...TEXTS, ...OTHERS, ...TEXTS.map((text) => Buffer.from(text)), ...BLOBS];

describe("whatever stands in one field", () => {
  test.each(SOURCE_COLUMNS)("%s", async (column) => {
    const folder = scratch();
    const rows = VALUES.map((value, at): Row => ({ id: userId(1000 + at), [column]: value }));
    // Once in a table with types, and once without, where values are not converted.
    const typed = writeUsers(join(folder, "typed.sqlite"), rows);
    const bytesAsText = `UPDATE users SET ${column} = CAST(${column} AS TEXT) WHERE typeof(${column}) = 'blob'`;
    const undecoded = writeUsers(join(folder, "undecoded.sqlite"), rows, bytesAsText);
    const file = new Database(typed);
    file.exec(`CREATE TABLE bare (${columnsOfSchema().join(", ")}); INSERT INTO bare SELECT * FROM users WHERE 0`);
    const defaults = file.prepare<[], Row>("SELECT * FROM users LIMIT 1").get() ?? {};
    const names = Object.keys(defaults);
    const insert = file.prepare(`INSERT INTO bare (${names}) VALUES (${names.map((name) => `@${name}`)})`);
    // better-sqlite3 binds numbers as REAL, but the defaults are integers.
    const whole = Object.fromEntries(
      names.map((name) => [name, typeof defaults[name] === "number" ? BigInt(defaults[name]) : defaults[name]]),
    );
    for (const row of rows) insert.run({ ...whole, default_wallet: null, ...row });
    file.close();
    const plain = [await countPlain(typed), await countPlain(typed, "bare"), await countPlain(undecoded)];
    for (const count of plain) expect(count).toBeLessThan(VALUES.length);
    expect(
      Math.max(...plain),
      "some value of each field is plain, so that the look is worth something",
    ).toBeGreaterThan(0);
  });
});

function columnsOfSchema(): string[] {
  const file = new Database(usersFile([]));
  const names = file.prepare<[], string>("SELECT name FROM pragma_table_info('users')").pluck().all();
  file.close();
  return names;
}

test.each([
  "http://127.0.0.1:8080/avatar.svg",
  "https://xn--bcher-kva.example/%C3%A4?a=(b)#c",
  "http://[::1]/ä|*+.svg",
])("users without an image are plain with any default avatar: %s", async (avatar) => {
  const db = usersFile([{ id: userId(1), image_url: null }]);
  expect(await countPlain(db, "users", avatar)).toBe(1);
});

test("publishes a default avatar that JSON must escape", async () => {
  const db = usersFile([{ id: userId(1), image_url: null }]);
  expect(await countPlain(db, "users", 'https://a.example/"')).toBe(0);
});
