/** The one table of settings, in the order of help. Flags, variables, config keys, defaults and types all come from it. */
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import { HOST_ROWS, SERVER_ROWS } from "./hosts.js";
import { publicKeys, secretFile } from "./keys.js";
import * as kind from "./kinds.js";

const { dataRow, path, row, text, whole, yesOrNo } = kind;

export const SETTINGS = {
  // What a contract is made from, what a build reads, and the release that it makes.
  from: row(path("<file>"), ["init"], "SQLite file to write a contract for"),
  db: row(path("<file>"), ["build", "dev"], "SQLite file to read; required"),
  baseUrl: dataRow(
    kind.baseUrl,
    ["build"],
    "where the listing will be reached, as in https://directory.example.com; required",
  ),
  out: row(
    { ...path("<folder>"), default: "dist" },
    ["build", "diff", "verify", "schema", "forget"],
    "folder of the releases",
  ),
  pageSize: dataRow(
    { ...whole(PAGE_SIZE.min, PAGE_SIZE.max), default: PAGE_SIZE.default },
    ["build", "dev"],
    `records a page, ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
  ),
  contract: dataRow(
    kind.contract,
    ["build", "dev", "diff", "schema"],
    "contract of the records (default: rollcall.contract.json beside the config file, or that of a directory of users)",
  ),
  table: row(
    text("<name>", "the name of a table or view"),
    ["init", "build", "dev"],
    "table or view to read (default: the one with the contract's word for its records; for init, the only one)",
  ),
  query: row(
    path("<file.sql>"),
    ["init", "build", "dev"],
    "file with a SELECT that yields the columns, instead of --table",
  ),
  defaultAvatar: dataRow(
    kind.publicUrl,
    ["build", "dev"],
    "image of records that have none (default: one that goes with the release)",
  ),
  links: dataRow(
    kind.oneOf(...LINK_STYLES),
    ["build", "dev"],
    "form of next and previous: ?format=api&page=N, or pages/N.json for hosts without queries",
  ),
  compress: dataRow(kind.encodings, ["build"], "codings to store each page in as well"),
  bulk: dataRow(
    yesOrNo,
    ["build", "dev"],
    "publish all records in a few files as well, for readers who want everything",
  ),
  lookup: dataRow(yesOrNo, ["build"], "publish where each record is, so that readers find one by its key or its names"),
  explorer: dataRow(
    yesOrNo,
    ["build"],
    "publish a page for people at the base URL, where anyone can browse all records; with it comes --lookup",
  ),
  changes: row(
    { ...whole(0, 1000), default: 0 },
    ["build", "dev"],
    "steps from earlier releases to publish, for readers who keep a copy; 0 is no changes.json",
  ),
  keep: row({ ...whole(0, 1_000_000), default: 5 }, ["build"], "old releases to keep; the current one always stays"),
  workers: row(
    whole(0, 64),
    ["build", "dev", "verify"],
    "threads that share the work; 0 is none (default: as many as cores, none where there is little to do)",
  ),
  shard: row(
    kind.shard,
    ["build", "publish"],
    "share of the pages, from 0/8 to 7/8, where several machines work; auto takes it from the variables of a job engine",
  ),
  parts: row(path("<folder>"), ["build"], "folder in which a shard leaves its part"),
  join: row(path("<folder>"), ["build"], "make the release of the parts in it, instead of reading the records"),
  skipInvalid: row(yesOrNo, ["build", "dev"], "publish without the invalid records"),
  problems: row(path("<file>"), ["build", "dev"], "write every problem to it, as NDJSON"),
  signKey: row(
    secretFile,
    ["build"],
    "sign the release with this secret key of minisign's; its password is asked for, or in ROLLCALL_SIGN_PASSWORD",
  ),

  ...SERVER_ROWS,

  // Which changes a diff shows, in which form, and how many there may be.
  format: row(kind.oneOf("text", "markdown", "html", "json", "ndjson"), ["diff"], "form of the report"),
  schemaFormat: row(
    kind.oneOf("json-schema", "sql", "typescript"),
    ["schema"],
    "form in which the contract is printed",
  ),
  limit: row({ ...whole(0, 1_000_000_000), default: 20 }, ["diff"], "changes of each kind that text shows"),
  all: row(yesOrNo, ["diff"], "show every change in text"),
  only: row(kind.fields, ["diff"], "fields that count: name,position.*"),
  ignore: row(kind.fields, ["diff"], "fields that do not count"),
  output: row(path("<file>"), ["diff"], "write the report to it instead of stdout"),
  maxAdded: row(kind.limit, ["build", "diff"], "records that may be added: 100, or 2% of those before"),
  maxRemoved: row(kind.limit, ["build", "diff"], "records that may be removed"),
  maxChanged: row(kind.limit, ["build", "diff"], "records that may change"),
  maxField: row(kind.fieldLimits, ["build", "diff"], "records in which a field may change: country=10,name=5%"),

  ...HOST_ROWS,

  // What is compared with what, and how many requests that may take.
  against: row(
    text("<release>", "a release's id, its beginning, current, previous, a release's folder, or none"),
    ["verify"],
    "release that a host must serve, byte for byte, or none (default: the current one, if there is one)",
  ),
  sample: row(
    whole(1, MAX_PAGES),
    ["verify"],
    "pages of a host to ask for, spread from the first to the last; each is up to six requests (default: all)",
  ),
  key: row(
    publicKeys,
    ["verify", "mirror"],
    "public key of minisign's that must have signed the release, or its file; of several, any one",
  ),
  maxAge: row(kind.age, ["verify", "mirror"], "how long ago it may have been signed: 90m, 36h, 2d; with --key"),
  every: row(kind.pause, ["mirror"], "go on until stopped, and look so often for what has changed: 60s, 15m"),
  allow: row(kind.names("check"), ["verify"], "checks that may differ; can be given again"),
  concurrency: row({ ...whole(1, 64), default: 8 }, ["verify"], "requests at once"),
  rate: row(whole(1, 1_000_000), ["verify"], "requests a second, at most (default: no limit)"),
  junit: row(path("<file>"), ["verify"], "write the report to it as JUnit's XML, for CI"),

  // How much is printed, for people or for programs.
  json: row(
    yesOrNo,
    ["init", "build", "dev", "serve", "releases", "use", "forget", "verify", "publish", "host", "mirror"],
    "print the result as JSON on stdout",
  ),
  timings: row(yesOrNo, ["build"], "say where the time went, by stage"),
  quiet: row(yesOrNo, ["init", "build", "use", "publish", "mirror"], "print nothing on success"),
} satisfies Record<string, kind.Setting>;
