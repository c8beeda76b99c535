import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ExitCode, UserError } from "../../../src/core/errors.js";
import { CONFIG_FLAG, DEBUG_VARIABLE, flagOf, variableOf } from "../../../src/core/settings/names.js";
import { need, resolveSettings, type Sources } from "../../../src/core/settings/resolve.js";
import { LISTING_KEYS, SETTING_KEYS, type SettingKey, settingOf } from "../../../src/core/settings/settings.js";
import { scratch } from "../../support/files.js";

type Given = Partial<Pick<Sources, "flags" | "env" | "config" | "keys">> & {
  file?: unknown;
  text?: string | Buffer;
};

async function resolve({ flags = {}, env = {}, file, text, ...others }: Given, cwd = scratch()) {
  const content = text ?? (file === undefined ? undefined : JSON.stringify(file));
  if (content !== undefined) writeFileSync(join(cwd, "rollcall.config.json"), content);
  return { cwd, settings: await resolveSettings({ flags, env, cwd, ...others }) };
}

async function refusal(given: Given): Promise<string> {
  const cwd = scratch();
  const error = await resolve(given, cwd).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(UserError);
  if (!(error instanceof UserError)) throw error;
  expect(error.exitCode).toBe(ExitCode.usage);
  return error.message.replaceAll(`${cwd}/`, "").replaceAll(cwd, ".");
}

const PUBLIC_KEY = "RWRp0OvCtaYHsJ4UeCtLxQfDKJ36LwBn7ectFnxFbFfrEasxXK/gKQ5S";

/** For each kind of value, a setting that has it. */
const SAMPLES: Partial<Record<SettingKey, [text: string, value: unknown]>> = {
  title: ["A shop", "A shop"],
  sourceFormat: ["tsv", "tsv"],
  separator: [";", ";"],
  quote: ["none", "none"],
  encoding: ["windows-1252", "windows-1252"],
  null: ["n/a, \\N", ["n/a", "\\N"]],
  decimal: ["population=,,area=.,,", ["population=,", "area=.", ","]],
  files: ['{"people.csv": {"separator": ";"}}', { "people.csv": { separator: ";" } }],
  references: ["orders.kunde=kunden, b.c=d", ["orders.kunde=kunden", "b.c=d"]],
  listings: ['{"v1/stations": {"table": "stations"}}', { "v1/stations": { table: "stations" } }],
  db: ["/a.sqlite", "/a.sqlite"],
  baseUrl: ["https://example.com/x", "https://example.com/x"],
  dist: ["/out", "/out"],
  pageSize: ["37", 37],
  contract: ["/c.json", "/c.json"],
  table: ["people", "people"],
  defaultAvatar: ["https://example.com/a.png", "https://example.com/a.png"],
  links: ["path", "path"],
  query: ["/q.sql", "/q.sql"],
  format: ["json", "json"],
  schemaFormat: ["sql", "sql"],
  host: ["::1", "::1"],
  release: ["1f6a", "1f6a"],
  expect: ["3f9a1c20", "3f9a1c20"],
  allow: ["range, post", ["range", "post"]],
  compress: ["br, gzip", ["br", "gzip"]],
  views: ["country, opened:year, -height", ["country", "opened:year", "-height"]],
  shard: ["3/8", "3/8"],
  signKey: ["/minisign.key", "/minisign.key"],
  admin: ["[::1]:9090", "[::1]:9090"],
  cacheControl: ["no-cache", "no-cache"],
  accessLog: ["combined", "combined"],
  only: ["bio, off_chain.*", ["bio", "off_chain.*"]],
  maxAdded: ["100", ["100"]],
  maxRemoved: ["1.5%,v1/orders=5%", ["1.5%", "v1/orders=5%"]],
  maxField: ["kyc_status=10,bio=5%", ["kyc_status=10", "bio=5%"]],
  adapt: ["cloudflare,vercel", ["cloudflare", "vercel"]],
  root: ["/srv/www", "/srv/www"],
  serverName: ["directory.example.com", "directory.example.com"],
  basePath: ["/directory", "/directory"],
  endpoint: ["https://s3.example.com", "https://s3.example.com"],
  key: [`${PUBLIC_KEY}, /old.pub`, [PUBLIC_KEY, "/old.pub"]],
  maxAge: ["36h", "36h"],
  json: ["true", true],
};
const variable = (key: string) => `ROLLCALL_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;

test.each(Object.entries(SAMPLES))("%s comes from a variable and from the file alike", async (key, [text, value]) => {
  expect((await resolve({ env: { [variable(key)]: text } })).settings).toHaveProperty(key, value);
  expect((await resolve({ file: { [key]: value } })).settings).toHaveProperty(key, value);
});

test("a key and its variable name one setting in all verbs, and a flag one in each verb", () => {
  const variables = [...SETTING_KEYS.map(variableOf), DEBUG_VARIABLE];
  expect(new Set(variables).size).toBe(variables.length);
  const verbs = new Set(SETTING_KEYS.flatMap((key) => settingOf(key).verbs));
  expect(verbs.size).toBeGreaterThan(8);
  for (const verb of verbs) {
    const own = SETTING_KEYS.filter((key) => settingOf(key).verbs.includes(verb)).map(flagOf);
    const flags = [...own, CONFIG_FLAG, "--help", "--version"];
    expect(new Set(flags).size, verb).toBe(flags.length);
  }
});

test("every kind of value has a sample above", () => {
  const kinds = (keys: readonly SettingKey[]) =>
    new Set(keys.map((key) => settingOf(key).placeholder ?? settingOf(key).kind));
  const sampled = kinds(Object.keys(SAMPLES) as SettingKey[]);
  expect([...kinds(SETTING_KEYS)].filter((kind) => !sampled.has(kind))).toEqual([]);
});

test("flags win over variables, variables over the file, the file over defaults", async () => {
  const flags = { pageSize: "1" };
  const env = { ROLLCALL_PAGE_SIZE: "2", ROLLCALL_KEEP: "2" };
  const file = { pageSize: 3, keep: 3, port: 3 };
  const { settings } = await resolve({ flags, env, file });
  expect(settings).toMatchObject({ pageSize: 1, keep: 2, port: 3 });
});

test("a flag or a variable can switch off what is on below", async () => {
  const { settings } = await resolve({
    flags: { quiet: false, json: false },
    env: { ROLLCALL_QUIET: "1", ROLLCALL_SKIP_INVALID: "false" },
    file: { json: true, skipInvalid: true },
  });
  expect(settings).toMatchObject({ quiet: false, json: false, skipInvalid: false });
});

test.each<[Given, { table?: string; query?: string }]>([
  [{ flags: { table: "t" }, file: { query: "/q.sql" } }, { table: "t" }],
  [{ flags: { query: "/q.sql" }, env: { ROLLCALL_TABLE: "t" } }, { query: "/q.sql" }],
  [{ env: { ROLLCALL_TABLE: "t" }, file: { query: "/q.sql" } }, { table: "t" }],
  [{ flags: { table: "a" }, env: { ROLLCALL_QUERY: "/q.sql" }, file: { table: "b" } }, { table: "a" }],
  [{ env: { ROLLCALL_QUERY: "/q.sql" }, file: { table: "b" } }, { query: "/q.sql" }],
])("table and query replace each other, by precedence: %j", async (given, choice) => {
  const { table, query } = (await resolve(given)).settings;
  expect({ table, query }).toEqual({ table: undefined, query: undefined, ...choice });
});

test("does not check settings that the verb does not have", async () => {
  const given: Given = {
    env: { ROLLCALL_PORT: "eighty" },
    file: { cacheMb: "much", table: "t", query: "q", keep: 1 },
  };
  const { settings } = await resolve({ ...given, keys: ["keep", "db"] });
  expect(settings).toMatchObject({ keep: 1, port: 8080 });
  expect(await refusal({ ...given, keys: ["port"] })).toBe(
    'ROLLCALL_PORT must be a whole number from 0 to 65535, got "eighty".',
  );
  expect(await refusal({ file: { prot: 1 }, keys: ["db"] }), "a name is wrong for every verb").toContain(
    "did you mean port?",
  );
});

test("reads no file with `config: null`", async () => {
  expect((await resolve({ config: null, text: "{,}" })).settings.port).toBe(8080);
});

/** As a Kubernetes service and a Docker link of these names inject them, and others set them. */
const INJECTED = {
  ROLLCALL_SERVICE_HOST: "10.0.0.1",
  ROLLCALL_SERVICE_PORT: "80",
  ROLLCALL_PORT: "tcp://10.0.0.1:80",
  ROLLCALL_PORT_80_TCP: "tcp://10.0.0.1:80",
  ROLLCALL_NAME: "/web/rollcall",
  ROLLCALL_ENV_NODE_VERSION: "20.20.0",
  ROLLCALL_DB_PORT: "udp://10.0.0.2:53",
  ROLLCALL_HOST_PORT_53_UDP_ADDR: "10.0.0.2",
  ROLLCALL_PROT: "80",
  ROLLCALL_VERSION: "1",
};

test("ignores variables of Kubernetes, Docker and other programs", async () => {
  const { settings } = await resolve({ env: INJECTED, file: { port: 3 } });
  expect(settings).toEqual({ ...(await resolve({})).settings, dist: settings.dist, port: 3 });
});

test("an empty variable is unset, and ROLLCALL_DEBUG is known", async () => {
  const { settings } = await resolve({ env: { ROLLCALL_PORT: "", ROLLCALL_DEBUG: "1" }, file: { port: 3 } });
  expect(settings.port).toBe(3);
});

test("compress can be a list or a text in the file, and empty in a flag", async () => {
  expect((await resolve({ file: { compress: "gzip" } })).settings.compress).toEqual(["gzip"]);
  expect((await resolve({ flags: { compress: "" }, file: { compress: ["br"] } })).settings.compress).toEqual([]);
});

test("paths are relative to the file's folder, or to the current one", async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, "conf"));
  writeFileSync(join(cwd, "conf/my.json"), '{"db": "users.sqlite", "dist": "/srv/dist"}');
  const sources = { flags: { problems: "p.ndjson" }, config: "conf/my.json" };
  const { settings } = await resolve(sources, cwd);
  expect(settings).toMatchObject({
    db: join(cwd, "conf/users.sqlite"),
    dist: "/srv/dist",
    problems: join(cwd, "p.ndjson"),
  });
});

test("in the current folder, paths stay as they were typed", async () => {
  const settings = await resolveSettings({ flags: { db: "data/users.sqlite" }, env: {}, cwd: "." });
  expect(settings).toMatchObject({ db: "data/users.sqlite", dist: "dist" });
});

test.each<[Given, string]>([
  [{ file: { pagesize: 1 } }, "pagesize in rollcall.config.json is not a setting; did you mean pageSize?"],
  [{ file: { hots: "x" } }, "hots in rollcall.config.json is not a setting; did you mean host?"],
])("refuses an unknown name, and suggests the nearest: %j", async (given, message) => {
  expect(await refusal(given)).toBe(message);
});

test("reports all mistakes at once", async () => {
  const file = { pagesize: 1, telemetry: true, port: 70_000, compress: "zip", rabbits: 2 };
  const flags = { table: "t", query: "q", keep: "-1" };
  const message = await refusal({ flags, env: { ROLLCALL_JSON: "yes" }, file });
  expect(message).toBe(
    [
      "8 mistakes in the settings:",
      '--keep must be a whole number from 0 to 1000000, got "-1".',
      "--table and --query exclude each other; remove one.",
      'ROLLCALL_JSON must be true or false, got "yes".',
      "pagesize in rollcall.config.json is not a setting; did you mean pageSize?",
      'telemetry in rollcall.config.json is not a setting; remove it, or see "rollcall build --help".',
      'rabbits in rollcall.config.json is not a setting; remove it, or see "rollcall build --help".',
      "port in rollcall.config.json must be a whole number from 0 to 65535, got 70000.",
      'compress in rollcall.config.json must be a list of br and gzip, each at most once, got "zip".',
    ].join("\n  "),
  );
});

test("names of inherited members are not settings", async () => {
  expect(await refusal({ text: '{"constructor": 1}' })).toContain("constructor in rollcall.config.json is not");
  expect(await refusal({ text: '{"__proto__": {}}' })).toContain("__proto__ in rollcall.config.json is not");
});

const WHOLE = "must be a whole number from 1 to 1000, got";
test.each<[Given, string]>([
  [{ flags: { pageSize: "0" } }, `--page-size ${WHOLE} "0".`],
  [{ flags: { pageSize: "1e2" } }, `--page-size ${WHOLE} "1e2".`],
  [{ env: { ROLLCALL_PAGE_SIZE: "1001" } }, `ROLLCALL_PAGE_SIZE ${WHOLE} "1001".`],
  [{ file: { pageSize: 1.5 } }, `pageSize in rollcall.config.json ${WHOLE} 1.5.`],
  [{ flags: { links: "hash" } }, '--links must be query or path, got "hash".'],
  [
    { file: { compress: ["br", "br"] } },
    'compress in rollcall.config.json must be a list of br and gzip, each at most once, got ["br","br"].',
  ],
  [
    { flags: { maxRemoved: "200%" } },
    '--max-removed must be a number of records or a percentage up to 100%, such as 10, 2% or orders=5%, got "200%".',
  ],
  [
    { flags: { maxAdded: "1%,orders=x" } },
    '--max-added must be a number of records or a percentage, such as 10, 2% or orders=5%, got "1%,orders=x".',
  ],
  [
    { flags: { maxAdded: "" } },
    '--max-added must be a number of records or a percentage, such as 10, 2% or orders=5%, got "".',
  ],
  [
    { file: { views: { at: { by: "opened", part: "day" } } } },
    'views in rollcall.config.json must be a list such as country,opened:year,-height, or views by name with by, part (year or month), order (a list) or most (1 to 10,000), such as {"country": {"by": "country"}}, got {"at":{"by":"opened","part":"day"}}.',
  ],
  [{ file: { quiet: 1 } }, "quiet in rollcall.config.json must be true or false, got 1."],
  [
    { file: { contract: 3 } },
    "contract in rollcall.config.json must be the path of a contract file, or a contract as an object, got 3.",
  ],
  [{ file: { db: "a\0b" } }, 'db in rollcall.config.json must be a path on this machine, got "a\\u0000b".'],
  [{ flags: { db: "https://x/users.sqlite" } }, '--db must be a path on this machine, got "https://x/users.sqlite".'],
  [
    { flags: { cacheControl: "a\nb" } },
    '--cache-control must be directives separated by commas, such as public, max-age=60, got "a\\nb".',
  ],
  [
    { flags: { baseUrl: "example.com" } },
    '--base-url: Base URL "example.com" is not an absolute http(s) URL; give one like https://directory.example.com.',
  ],
  [
    { env: { ROLLCALL_BASE_URL: "https://a:b@c" } },
    'ROLLCALL_BASE_URL: Base URL "https://...@c" has credentials (@), which every page would publish; give one like https://directory.example.com.',
  ],
  [
    { file: { table: "t", query: "q.sql" }, flags: { table: "t" } },
    "table in rollcall.config.json and query in rollcall.config.json exclude each other; remove one.",
  ],
])("refuses a wrong value in one line: %j", async (given, message) => {
  expect(await refusal(given)).toBe(message);
});

test.each<[Given, string]>([
  [
    { text: '{\n  "port": 80,\n}' },
    "rollcall.config.json is not JSON: line 3, column 1: property name expected, found }.",
  ],
  [{ text: "[]" }, 'rollcall.config.json must hold a JSON object, such as {"db": "users.sqlite"}.'],
  [
    { text: '{"port": 1,\n "db": "a", "port": 2,\n "db": "b"}' },
    'rollcall.config.json repeats "port" (line 2, column 13), "db" (line 3, column 2); remove the repetitions.',
  ],
  [
    { text: Buffer.from('{"db": "caf\xe9"}', "latin1") },
    "rollcall.config.json is not text in UTF-8; save it as UTF-8.",
  ],
  [{ config: "." }, ". is a folder; --config names the config file."],
])("refuses a file that is not a config: %j", async (given, message) => {
  expect(await refusal(given)).toBe(message);
});

test("the error for a missing setting names flag, variable and key", async () => {
  const { settings } = await resolve({});
  expect(() => need(settings, "baseUrl")).toThrow(
    'baseUrl is not set: give --base-url <url>, ROLLCALL_BASE_URL, or baseUrl in rollcall.config.json ("rollcall init --from FILE" writes one).',
  );
});

test("uses the contract beside the config file by default", async () => {
  const cwd = scratch();
  const resolveIn = async (given: Given) => (await resolve(given, cwd)).settings.contract;
  expect(await resolveIn({})).toBeUndefined();
  writeFileSync(join(cwd, "rollcall.contract.json"), "{}");
  expect(await resolveIn({})).toBe(join(cwd, "rollcall.contract.json"));
  expect(await resolveIn({ env: { ROLLCALL_CONTRACT: "other.json" } })).toBe(join(cwd, "other.json"));
  expect(await resolveIn({ file: { contract: "mine.json" } })).toBe(join(cwd, "mine.json"));
  expect(await resolveIn({ file: { contract: { title: "Mine" } } })).toEqual({ title: "Mine" });
  // A verb without the setting looks for no contract, and one without a config for none beside it.
  expect(await resolveIn({ file: {}, keys: ["port"] })).toBeUndefined();
  expect(await resolveIn({ file: {}, config: null })).toBeUndefined();
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(cwd, "sub", "c.json"), "{}");
  expect(await resolveIn({ config: "sub/c.json" })).toBeUndefined();
  writeFileSync(join(cwd, "sub", "rollcall.contract.json"), "{}");
  expect(await resolveIn({ config: "sub/c.json" })).toBe(join(cwd, "sub", "rollcall.contract.json"));
});

test("the config file may have $schema", async () => {
  const { settings } = await resolve({ file: { $schema: "./node_modules/rollcall/config.schema.json", keep: 3 } });
  expect(settings).toMatchObject({ keep: 3 });
  expect(settings).not.toHaveProperty("$schema");
});

test("a gate of a lower level stays, unless a higher level has one for the same listing and field", async () => {
  const file = { maxRemoved: "1%", maxAdded: 5, maxField: ["bio=5%"] };
  const flags = { maxRemoved: "orders=10%", maxField: "orders.total=3" };
  const { settings } = await resolve({ flags, env: { ROLLCALL_MAX_REMOVED: "2%" }, file });
  expect(settings).toMatchObject({
    maxAdded: ["5"],
    maxRemoved: ["2%", "orders=10%"],
    maxField: ["bio=5%", "orders.total=3"],
  });
});

const OWN = { maxRemoved: "1%", maxAdded: 5, maxField: ["total=5%", "state=1"] };
const SITE = {
  maxRemoved: "customers=9",
  maxField: "orders.place=2,total=7",
  listings: { customers: OWN, orders: OWN },
};

test.each<[Record<string, string>, object]>([
  [
    { maxRemoved: "50%" },
    { maxRemoved: ["50%"], listings: { customers: { maxRemoved: [] }, orders: { maxRemoved: [], maxAdded: ["5"] } } },
  ],
  [
    { maxRemoved: "orders=2" },
    {
      maxRemoved: ["customers=9", "orders=2"],
      listings: { customers: { maxRemoved: ["1%"] }, orders: { maxRemoved: [], maxAdded: ["5"] } },
    },
  ],
  [{ maxAdded: "9" }, { maxAdded: ["9"], maxRemoved: ["customers=9"], listings: { orders: { maxAdded: [] } } }],
  [
    { maxField: "total=9" },
    {
      maxField: ["orders.place=2", "total=9"],
      listings: { customers: { maxField: ["state=1"] }, orders: { maxField: ["state=1"], maxRemoved: ["1%"] } },
    },
  ],
  [
    { maxField: "orders.total=9,place=3" },
    {
      maxField: ["total=7", "orders.total=9", "place=3"],
      listings: { customers: { maxField: ["total=5%", "state=1"] }, orders: { maxField: ["state=1"] } },
    },
  ],
])("a gate of a flag replaces those of the file for the same records: %j", async (flags, expected) => {
  expect((await resolve({ flags, file: SITE })).settings).toMatchObject(expected);
});

/** For each setting that a listing may have but gates, a text for a flag, its value, and another value in the file. */
const OWN_SAMPLES: Partial<Record<SettingKey, [text: unknown, value: unknown, inFile: unknown]>> = {
  contract: ["/c.json", "/c.json", "/own.json"],
  table: ["people", "people", "own"],
  query: ["/q.sql", "/q.sql", "/own.sql"],
  pageSize: ["1", 1, 250],
  bulk: [false, false, true],
  csv: [true, true, false],
  parquet: [true, true, false],
  lookup: [false, false, true],
  views: ["country", ["country"], { height: { order: ["-height"] } }],
  changes: ["0", 0, 7],
  skipInvalid: [false, false, true],
};

test.each(LISTING_KEYS.filter((key) => settingOf(key).kind !== "gates"))(
  "%s of a flag or a variable wins over that of a listing in the file, which wins over that of the file",
  async (key) => {
    const [text, value, inFile] = OWN_SAMPLES[key] ?? [];
    const file = { listings: { orders: { [key]: inFile, maxAdded: 5 } } };
    const other = { orders: { maxAdded: ["5"] } };
    const { settings } = await resolve({ flags: { [key]: text }, file });
    expect([settings[key], settings.listings]).toEqual([value, other]);
    const { settings: byVariable } = await resolve({ env: { [variableOf(key)]: String(text) }, file });
    expect([byVariable[key], byVariable.listings]).toEqual([value, other]);
    const { settings: inSite } = await resolve({ file: { ...file, [key]: value } });
    expect([inSite[key], inSite.listings?.["orders"]?.[key]]).toEqual([value, inFile]);
  },
);

test("the settings of a text file win over those of all in the file, but not over flags and variables", async () => {
  const file = { separator: ",", files: { "people.csv": { separator: "tab", encoding: "latin1", quote: "none" } } };
  const { settings } = await resolve({ file });
  expect(settings.files).toEqual({ "people.csv": { separator: "\t", encoding: "latin1", quote: "none" } });
  const given = await resolve({ file, flags: { separator: "|" }, env: { ROLLCALL_QUOTE: '"' } });
  expect(given.settings).toMatchObject({ separator: "|", quote: '"', files: { "people.csv": { encoding: "latin1" } } });
  expect(given.settings.files?.["people.csv"]).not.toHaveProperty("separator");
});

test.each([
  [
    { "people.csv": { separator: ";;" } },
    /^files\.people\.csv\.separator in rollcall\.config\.json must be one character/,
  ],
  [
    { "people.csv": { seperator: ";" } },
    "files.people.csv.seperator in rollcall.config.json is not a setting; did you mean separator?",
  ],
  [{ "people.csv": { table: "x" } }, /^files\.people\.csv\.table in rollcall\.config\.json is not a setting/],
  [{ "people.csv": ";" }, /^files in rollcall\.config\.json must be an object of files by name/],
])("refuses settings of a text file: %j", async (files, message) => {
  expect(await refusal({ file: { files } })).toMatch(message);
});

test("one contract is not for several listings of a lower level", async () => {
  const file = { contract: "all.json", listings: { customers: {}, orders: { contract: "orders.json" } } };
  const next =
    "is one contract, and listings in rollcall.config.json has 2 listings; give each its own: listings.customers.contract.";
  expect(await refusal({ flags: { contract: "c.json" }, file })).toBe(`--contract ${next}`);
  expect(await refusal({ env: { ROLLCALL_CONTRACT: "c.json" }, file })).toBe(`ROLLCALL_CONTRACT ${next}`);
  expect((await resolve({ file })).settings.listings).toMatchObject({
    orders: { contract: expect.stringMatching(/orders\.json$/) },
  });
  // `schema` prints one contract.
  const { settings } = await resolve({ flags: { contract: "/c.json" }, file, keys: ["contract", "listings"] });
  expect(settings.contract).toBe("/c.json");
});

test("checks only the form of fields", async () => {
  const { settings } = await resolve({ flags: { only: "a,b.*.c", maxField: "any.field=10,a=b=1%" } });
  expect(settings).toMatchObject({ only: ["a", "b.*.c"], maxField: ["any.field=10", "a=b=1%"] });
  expect(await refusal({ flags: { only: "a..b" } })).toContain("must be a list of fields, such as name,position.*");
  expect(await refusal({ flags: { maxField: "a=many" } })).toContain("must be a list of fields and limits");
});
