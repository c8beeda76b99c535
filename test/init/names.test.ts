/** Derives hints about private data, words and paths from names. */
import { describe, expect, test } from "vitest";
import { TAKEN_NAMES } from "../../src/core/contract/listing-names.js";
import {
  fieldOf,
  findPrivacy,
  isAboutThings,
  isFlag,
  isTimeName,
  listingNamesOf,
  proposePath,
  wordingOf,
  wordsForRecords,
  wordsOf,
} from "../../src/init/names.js";

describe("names that indicate private data", () => {
  const telling = [
    ..."password passwd Password_Hash userPassword password2 pwd encrypted_password salt auth_token accessToken".split(
      " ",
    ),
    ..."refresh_tokens secret client_secret sessionId session_key csrf otp otp_secret pin PIN_CODE api_key ApiKey".split(
      " ",
    ),
    ..."APIKEY private-key recovery_codes security_answer cvv password_digest hash magic_hash".split(" "),
    ..."email e_mail E-Mail emailAddress contact_email user_emails mail phone phoneNumber phone2 telephone mobile".split(
      " ",
    ),
    ..."mobile_no fax address address_line_1 addr street Street2 zip zip_code postcode postal_code".split(" "),
    ..."ip last_ip ip_address ipAddress IPv4 client_ip lastloginip ssn iban card card_number passport_no tax_id".split(
      " ",
    ),
    ..."birth birthday birth_date date_of_birth dateofbirth dob born born_on gender salary user_agent".split(" "),
    ..."passwort contraseña telefon_nr Geburtsdatum fecha_nacimiento straße PLZ".split(" "),
    ..."E-mail Address,Full Address,Téléphone phone".split(","),
  ];
  test.each(telling)("%s", (name) => expect(findPrivacy(name)).toMatch(/^(a secret|contact data|personal data)$/));

  const harmless = [
    ..."id uuid name title description shipping shipment relationship ship tip opinion pinned spinning zipper".split(
      " ",
    ),
    ..."recipient participant script hashtag hashtags headphones microphone secretary key keyword primary_key".split(
      " ",
    ),
    ..."country city created_at date_joined is_active stripe_color tokenizer passage".split(" "),
    ..."compass passenger bypass classes obsession possession discount saltwater basalt cardinal".split(" "),
    ..."ethics index number code currency bio image_url longitude state status borne reborn".split(" "),
  ];
  test.each(harmless)("not %s", (name) => expect(findPrivacy(name)).toBeUndefined());
});

describe("tables that are not about people", () => {
  test.each([
    ["stations", ["code", "lat", "zip"]],
    ["data", ["name", "latitude", "street"]],
    ["files", ["path", "hash"]],
    ["companies", ["name", "address"]],
    ["museums", ["title", "born"]],
  ])("%s with %j", (table, columns) => {
    expect(isAboutThings(table, columns)).toBe(true);
    expect(columns.map((column) => findPrivacy(column, true))).toEqual(columns.map(() => undefined));
  });

  test.each([
    ["people", ["city", "zip"]],
    ["shops", ["customer_id", "city", "address"]],
    ["data", ["first_name", "city", "street"]],
    ["data", ["id", "zip", "hash"]],
    ["companies", ["name", "address", "birthday"]],
  ])("but people may be in %s with %j", (table, columns) => {
    expect(isAboutThings(table, columns)).toBe(false);
  });

  test.each(["email", "phone", "password", "token", "iban", "email_address", "password_hash", "ip_address"])(
    "%s is private even there",
    (name) => expect(findPrivacy(name, true)).toBeDefined(),
  );
});

test.each([
  ["userEmail2", "user email 2"],
  ["USER-EMAIL 2", "user email 2"],
  ["HTTPServer", "http server"],
  ["Größe (cm)", "große cm"],
  ["名前", "名前"],
  ["__", ""],
])("the words of %s", (name, words) => {
  expect(wordsOf(name).join(" ")).toBe(words);
});

test.each([
  ["people", "person", "people"],
  ["person", "person", "people"],
  ["users", "user", "users"],
  ["auth_user", "auth user", "auth users"],
  ["Companies", "company", "companies"],
  ["categories", "category", "categories"],
  ["addresses", "address", "addresses"],
  ["boxes", "box", "boxes"],
  ["houses", "house", "houses"],
  ["status", "status", "statuses"],
  ["movies", "movie", "movies"],
  ["cameras", "camera", "cameras"],
  ["data", "data", "data"],
  ["tblKids", "tbl kid", "tbl kids"],
  ["名前", "名前", "名前s"],
  ["2024", "2024", "2024s"],
  ["--", "record", "records"],
])("the words for %s are %s and %s", (table, one, many) => {
  expect(wordsForRecords(table)).toEqual([one, many]);
});

test.each([
  ["auth_users", "Auth user", "auth users"],
  ["Bäume", "Bäume", "records"],
  ["名前", "名前", "records"],
])("the table %s has the title %s, and its records are %s", (table, title, many) => {
  const wording = wordingOf(table);
  expect([wording.title, wording.words[1]]).toEqual([title, many]);
});

test.each([
  ["people", "/people/"],
  ["My Table!", "/my-table/"],
  ["Größen", "/groessen/"],
  ["Gro\u0308ße", "/groesse/"],
  ["ÆØÅ Łódź Đakovo Þór", "/aeoea-lodz-dakovo-thor/"],
  ["Éléments İçin", "/elements-icin/"],
  ["../etc", "/etc/"],
  ["..", "/records/"],
  ["名前", "/records/"],
  ["_headers", "/headers/"],
  ["a/b", "/a-b/"],
  ["changes", "/changes-list/"],
])("the path of %s is %s", (table, path) => {
  expect(proposePath(table)).toBe(path);
});

test("paths are not too long, and not those of a release's own files", () => {
  for (const name of TAKEN_NAMES) expect(TAKEN_NAMES).not.toContain(proposePath(name).slice(1, -1));
  expect(proposePath("x".repeat(1000)).length).toBeLessThan(200);
});

test("a table that needs another name does not take that of another table", () => {
  expect(listingNamesOf(["Order Items", "changes", "changes-list", "order-items", "order_items"])).toEqual([
    ...["order-items-2", "changes-list-2", "changes-list", "order-items", "order_items"],
  ]);
});

test("fields have the columns' names if they are identifiers, and unique names", () => {
  const names = ["id", "firstName", "First Name", "first_name", "2nd", "größe", "名前", "", "-", "a.b", "toString"];
  const taken = new Set<string>();
  for (const name of [...names, "__proto__", "constructor", "order"]) taken.add(fieldOf(name, taken));
  expect([...taken]).toEqual([
    ...["id", "firstName", "first_name", "first_name_2", "field_2nd", "größe", "名前", "field", "field_2", "a_b"],
    ...["tostring", "proto", "field_constructor", "order"],
  ]);
});

test.each([
  ["x", "TINYINT(1)", true],
  ["x", "bit", true],
  ["x", "TINYINT(2)", false],
  ["is_admin", "INTEGER", true],
  ["hasBadge", "", true],
  ["email_verified", "INT", true],
  ["active", "INTEGER", true],
  ["count", "INTEGER", false],
  ["issue", "INTEGER", false],
])("0 and 1 in %s %s: no and yes is %s", (name, declared, expected) => {
  expect(isFlag(name, declared)).toBe(expected);
});

test.each([
  ["created_at", "INTEGER", true],
  ["x", "DATETIME", true],
  ["lastSeen", "", true],
  ["points", "INTEGER", false],
  ["rate", "REAL", false],
  ["attribute", "REAL", false],
])("numbers in %s %s: times is %s", (name, declared, expected) => {
  expect(isTimeName(name, declared)).toBe(expected);
});
