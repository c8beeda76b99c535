/** Random contracts and rows, valid and invalid, for tests that compare several checks. */
import Database from "better-sqlite3";
import fc from "fast-check";
import type { ContractFile, FieldSchema } from "../../../src/core/contract/file/form.js";
import type { Row } from "../../support/database.js";

type Cell = Row[string];

/** A field, and what its column may hold. */
interface Kind {
  schema: FieldSchema;
  /** Values that it takes, mostly, and others. */
  good: fc.Arbitrary<Cell>;
  bad: fc.Arbitrary<Cell>;
}

const HARD = [
  "",
  " ",
  '"',
  "\\",
  "\u0000",
  "\n",
  "\u001f",
  "\u007f",
  "é",
  "\u2028",
  "\uffee",
  "🕊",
  "😀",
  "a,b",
  '", "',
  "'",
  "null",
  "1",
];
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.array(fc.constantFrom(...HARD), { maxLength: 3 }).map((parts) => parts.join("")),
);
const integer = fc
  .oneof(
    fc.integer({ min: -20, max: 200 }),
    fc.constantFrom(0, -1, 9, 10, 99, 100, 1e15 - 1, 1e15, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
  )
  .map(BigInt);
const real = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 0.1, 0.1 + 0.2, 1.5, 3, 1e21, 1e-7, -90, 90.5, 5e-324, 2 ** 53, 1e15, 1e-6, 89.99),
  fc
    .tuple(fc.integer({ min: -1e15, max: 1e15 }), fc.integer({ min: 0, max: 16 }))
    .map(([digits, e]) => digits / 10 ** e),
);
/** Anything that a column may hold. */
const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  text,
  integer,
  real,
  fc.constant(null),
  fc.constant(2n ** 60n),
  fc.constant(Number.POSITIVE_INFINITY),
  fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom("[]", "{}", "[1]", '["a"]', '["a", "b"]', "3", "true", "[", '{"b":1,"a":2}', "1e3", "0x1"),
);

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{"b":1,"a":[{"d":1,"c":2}]}',
    "[ ]",
    '"x"',
    "12",
    "-0",
    "1.50",
    "9007199254740993",
    '"\\ud800"',
    "{bad",
  ),
);

function kind(schema: FieldSchema, good: fc.Arbitrary<Cell>): fc.Arbitrary<Kind> {
  return fc.constant({ schema, good, bad: anyCell });
}

const PATTERNS = [
  "^[A-Z]{2}$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^[^/]+$",
  "^.{1,3}$",
  "^a",
  "b$",
  "^\\p{L}*$",
  "^\\d+$",
  '^[^"]*$',
];

const strings = fc.oneof(
  kind({ type: "string" }, text),
  fc
    .constantFrom(...PATTERNS)
    .chain((pattern) => kind({ type: "string", pattern }, fc.oneof(text, fc.stringMatching(new RegExp(pattern, "u"))))),
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }))
    .chain(([minLength, more]) => kind({ type: "string", minLength, maxLength: minLength + more }, text)),
  kind({ type: "string", minLength: 1 }, text),
  kind(
    { type: "string", format: "date" },
    fc.constantFrom("2024-02-29", "2023-02-29", "1999-12-31", "2026-1-1", "0000-01-01"),
  ),
  kind(
    { type: "string", format: "date-time" },
    fc.constantFrom(
      ...["2024-02-29T23:59:59Z", "2023-02-29T00:00:00Z", "2026-01-01T00:00:00.123456Z", "2026-01-01T00:00:00+02:00"],
      ...["2026-01-01T24:00:00Z", "2026-01-01T00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.1234567891Z"],
    ),
  ),
  kind(
    { type: "string", format: "uuid" },
    fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.constant("7f3c2a10-0d5e-0b8e-0c41-2f6b8d1e0a5"),
    ),
  ),
  kind(
    { type: "string", format: "uri" },
    fc.oneof(fc.webUrl(), fc.constantFrom("https://a.example/b?c=d", "ftp://a.b/", "a.b", "https://a b/", "")),
  ),
  kind({ enum: ["one", "two", 'th"ree', "4"] }, fc.constantFrom("one", "two", 'th"ree', "4", "five")),
  kind({ const: "x" }, fc.constantFrom("x", "y")),
  kind(
    { anyOf: [{ const: "never" }, { type: "string", format: "date" }] },
    fc.constantFrom("never", "2026-01-31", "2026-02-31"),
  ),
);

const integers = fc.oneof(
  kind({ type: "integer" }, integer),
  fc
    .tuple(fc.integer({ min: -120, max: 1200 }), fc.integer({ min: 0, max: 3000 }))
    .chain(([minimum, more]) =>
      kind(
        { type: "integer", minimum, maximum: minimum + more },
        fc.integer({ min: minimum - 3, max: minimum + more + 3 }).map(BigInt),
      ),
    ),
  kind({ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 }, fc.integer({ min: -1, max: 11 }).map(BigInt)),
  kind({ type: "integer", minimum: 0, "x-observed": { maximum: 9 } }, fc.integer({ min: -1, max: 11 }).map(BigInt)),
  kind({ enum: [1, 2, 30] }, fc.constantFrom(1n, 2n, 3n, 30n)),
);

const others = fc.oneof(
  kind({ type: "number", minimum: -90, maximum: 90 }, fc.oneof(real, integer)),
  kind({ type: "number" }, fc.oneof(real, integer)),
  kind({ type: "number", exclusiveMinimum: -0.5, exclusiveMaximum: 2 }, fc.oneof(real, integer)),
  kind({ type: "number", minimum: 0, "x-observed": { maximum: 1.5 } }, fc.oneof(real, integer)),
  kind({ enum: [0.1, 0.5, 3, 1e21] }, fc.constantFrom(0.1, 0.5, 3, 3n, 1e21, 0.1 + 0.2)),
  kind(
    {
      anyOf: [
        { type: "number", maximum: 9 },
        { type: "string", minLength: 1 },
      ],
    },
    fc.oneof(real, integer, text),
  ),
  kind(
    { type: "array", items: { type: "number" } },
    fc.constantFrom("[]", "[1.5]", "[1.50, 2]", "[0.1, -2]", "[-0]", "[1e3]", "[0.0000001]", "[0.30000000000000004]"),
  ),
  kind({ type: "boolean" }, fc.constantFrom(0n, 1n, 2n)),
  kind(
    { type: "array", items: { enum: ["temp", "wind"] } },
    fc.constantFrom("[]", '["temp"]', '["temp", "wind"]', '["x"]'),
  ),
  kind(
    { type: "array", items: { type: "string", pattern: "^[A-Z]+$" } },
    fc.constantFrom("[]", '["A","B"]', '["A", "B"]', '["a"]'),
  ),
  kind(
    { type: "array", items: { type: "string" } },
    fc.oneof(
      fc.array(text).map((list) => JSON.stringify(list)),
      json,
    ),
  ),
  kind(
    { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2, uniqueItems: true },
    fc.constantFrom("[]", "[1]", "[1,2]", "[1, 2]", "[1,1]", "[1,2,3]", "[1.5]"),
  ),
  kind({ type: "array", items: { "x-json": true }, "x-observed": { maxItems: 0 } }, fc.oneof(fc.constant("[]"), json)),
  kind({ "x-json": true }, fc.oneof(json, fc.constant(null))),
);

const field: fc.Arbitrary<Kind> = fc
  .oneof(strings, integers, others)
  .chain((made) => fc.boolean().map((mayBeNull) => (mayBeNull ? orNull(made) : made)));

/** The same field, where null is allowed. */
function orNull(made: Kind): Kind {
  const { type, enum: values } = made.schema;
  const good = fc.oneof(made.good, fc.constant(null));
  if (values) return { ...made, schema: { ...made.schema, enum: [...values, null] }, good };
  if (typeof type !== "string" || type === "object") return made;
  return { ...made, schema: { ...made.schema, type: [type, "null"] }, good };
}

/** What records are ordered by: a key of text or integers, and before it up to two fields of few values, so that records tie. */
const keyed = fc.constantFrom<Kind>(
  { schema: { type: "string" }, good: text.map((value) => `k${value}`), bad: anyCell },
  { schema: { type: "string", pattern: "^[a-z0-9-]+$" }, good: fc.uuid(), bad: anyCell },
  { schema: { type: "integer" }, good: integer, bad: anyCell },
);
const leading = fc.constantFrom<Kind>(
  { schema: { type: "string" }, good: fc.constantFrom("", "a", "é", "\uffee", "🕊", "\n", '"'), bad: anyCell },
  { schema: { type: "integer" }, good: fc.constantFrom(-2n, 0n, 9n, 10n), bad: anyCell },
);

/** Names that are hard for JSON, SQL, regular expressions, or for finding a member by its name. */
const NAMES = [
  "a",
  "b c",
  "it's",
  "p.lain".replace(".", ""),
  "$x",
  "ünï",
  "select",
  "k",
  "10",
  "constructor",
  "Rollcall_Number",
];

export interface RandomTable {
  file: ContractFile;
  columns: readonly string[];
  rows: Row[];
}

/** A contract with rows of its table; each row is good, or has one bad cell. */
export const anyTable: fc.Arbitrary<RandomTable> = fc
  .record({
    key: keyed,
    leading: fc.array(fc.tuple(leading, fc.boolean()), { maxLength: 2 }),
    others: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), field, fc.boolean()), {
      maxLength: 4,
      selector: ([name]) => name,
    }),
    free: fc.boolean(),
  })
  .chain(({ key, leading: before, others: fields, free }) => {
    const kinds = new Map<string, Kind>([["key", key]]);
    for (const [at, [made]] of before.entries()) kinds.set(`lead${at}`, made);
    for (const [name, made, isInside] of fields) kinds.set(isInside ? `inner_${name}` : name, made);
    // An object of any members, before or behind the key in a record's text.
    const anyMembers = fc.constantFrom('{"key":"x","lead0":1}', "{}", '{"key":1}');
    if (free) kinds.set("zfree", { schema: { "x-json": true }, good: anyMembers, bad: anyCell });
    const order = before.map(([, isDescending], at) => `${isDescending ? "-" : ""}lead${at}`);
    const good = fc.record(Object.fromEntries([...kinds].map(([name, made]) => [name, made.good])));
    const damage = fc.option(
      fc.constantFrom(...kinds).chain(([name, made]) => made.bad.map((cell) => [name, cell] as const)),
      { freq: 3 },
    );
    const row = fc.tuple(good, damage).map(([cells, bad]): Row => (bad ? { ...cells, [bad[0]]: bad[1] } : cells));
    return fc
      .array(row, { maxLength: 6 })
      .map((rows) => ({ file: fileOf(kinds, order), columns: [...kinds.keys()], rows }));
  });

function fileOf(kinds: ReadonlyMap<string, Kind>, order: readonly string[]): ContractFile {
  const properties: Record<string, FieldSchema> = {};
  const inner: Record<string, FieldSchema> = {};
  for (const [name, { schema }] of kinds) {
    const inside = /^inner_(.*)$/.exec(name)?.[1];
    if (inside === undefined) properties[name] = schema;
    else inner[inside] = schema;
  }
  if (Object.keys(inner).length > 0) {
    const rest = { required: Object.keys(inner), additionalProperties: false } as const;
    properties["inner"] = { type: "object", properties: inner, ...rest };
  }
  return {
    type: "object",
    "x-listing": { path: "/v1/things/", words: ["thing", "things"], key: "key", order: [...order, "key"], version: 1 },
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A table whose columns keep the storage class of what they are given. */
export function writeTable(path: string, { columns, rows }: RandomTable): void {
  const db = new Database(path);
  db.exec(`CREATE TABLE things (${columns.map(quote).join(", ")})`);
  const insert = db.prepare(`INSERT INTO things VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of rows) insert.run(columns.map((name) => row[name]));
  db.close();
}
