/** The table of settings, in the order of help. Flags, variables, config keys, defaults and types are derived from it. */
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import { publicKeys, secretFile } from "./keys.js";
import * as kind from "./kinds.js";

const { COMMAND, DATA, SOURCE, SOURCE_DATA, group, path, row, text, whole, yesOrNo } = kind;

export const SETTINGS = {
  ...group("Source", {
    from: row(
      kind.input,
      ["init"],
      "SQLite, CSV, TSV or NDJSON file, folder or several text files to write contracts for; - is standard input",
    ),
    db: row(
      kind.input,
      ["build", "dev"],
      "SQLite, CSV, TSV or NDJSON file, folder or several text files to read (required); build: - is standard input",
    ),
    table: row(
      text("<name>", "the name of a table or view"),
      ["init", "build", "dev"],
      "table or view (default: named by the contract, or the only one)",
      SOURCE,
    ),
    allTables: row(yesOrNo, ["init"], "write a contract for each table that has a key, and a config for all of them"),
    update: row(yesOrNo, ["init"], "add the new columns of the source to the contract of the config file", COMMAND),
    query: row(path("<file.sql>"), ["init", "build", "dev"], "file with a SELECT, instead of a table", SOURCE),
    contract: row(
      kind.contract,
      ["build", "dev", "diff", "schema"],
      "contract file (default: rollcall.contract.json, or built-in users)",
      DATA,
    ),
    listings: row(kind.listings, [], "several tables, each with a path and settings of its own (config file)", {
      readBy: ["build", "dev", "diff", "schema"],
    }),
    title: row(text("<text>", "a text"), [], "title of a site of several listings (config file)", {
      readBy: ["build", "dev"],
    }),
    description: row(text("<text>", "a text"), [], "description of a site of several listings (config file)", {
      readBy: ["build", "dev"],
    }),
    sourceFormat: row(kind.textFormat, ["init", "build", "dev"], "format of a text file (default: by name)", SOURCE),
    separator: row(kind.separator, ["init", "build", "dev"], "separator of CSV (default: found)", SOURCE),
    quote: row(kind.quote, ["init", "build", "dev"], "quotes of CSV or TSV (default: found)", SOURCE),
    encoding: row(kind.encoding, ["init", "build", "dev"], "encoding of a text file (default: UTF-8)", SOURCE),
    files: row(
      kind.files,
      [],
      "settings for one of several text files: its format, separator, quote, encoding (config file)",
      {
        readBy: ["init", "build", "dev", "diff"],
      },
    ),
    null: row(kind.marks, ["init"], "texts that mean NULL in CSV or TSV, besides empty cells: n/a,\\N"),
    convert: row(yesOrNo, ["init"], "convert columns whose values all have a known form, such as local times"),
    decimal: row(
      kind.decimals,
      ["init", "dev"],
      "read numbers with this decimal mark, a comma or a point; population=, for one column",
    ),
    references: row(
      kind.references,
      ["init"],
      "write the references between text files that names show and that hold, and those given here",
    ),
    skipInvalid: row(yesOrNo, ["build", "dev"], "publish without the invalid records", SOURCE),
    problems: row(path("<file>"), ["build", "dev"], "write every problem to this NDJSON file"),
  }),
  ...group("Output", {
    baseUrl: row(kind.baseUrl, ["build"], "public URL, such as https://directory.example.com (required)", {
      decidesData: true,
      readBy: ["dev", "diff"],
    }),
    dist: row(
      { ...path("<folder>"), default: "dist" },
      ["build", "diff", "verify", "schema", "serve", "host", "publish", "releases", "forget", "use"],
      "folder of the releases",
      { readBy: ["dev"] },
    ),
    pageSize: row(
      { ...whole(PAGE_SIZE.min, PAGE_SIZE.max), default: PAGE_SIZE.default },
      ["build", "dev"],
      `records per page, ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
      SOURCE_DATA,
    ),
    links: row(
      kind.oneOf(...LINK_STYLES),
      ["build", "dev"],
      "next and previous: ?page=N, or pages/N.json",
      SOURCE_DATA,
    ),
    compress: row(kind.encodings, ["build"], "also write every page compressed", DATA),
    defaultAvatar: row(
      kind.publicUrl,
      ["build", "dev"],
      "image URL for records without one (default: avatar.svg)",
      SOURCE_DATA,
    ),
    keep: row({ ...whole(0, 1_000_000), default: 5 }, ["build"], "old releases to keep besides the current one"),
    write: row(path("<folder>"), ["host"], "write the files here instead of printing them"),
    format: row(kind.oneOf("text", "markdown", "html", "json", "ndjson"), ["diff"], "report format", COMMAND),
    schemaFormat: row(kind.oneOf("json-schema", "sql", "typescript"), ["schema"], "output format", COMMAND),
    limit: row({ ...whole(0, 1_000_000_000), default: 20 }, ["diff"], "changes of each kind to show as text", COMMAND),
    all: row(yesOrNo, ["diff"], "show every change as text", COMMAND),
    listing: row(text("<name>", "the name of a listing"), ["diff", "schema"], "one listing of a site"),
    only: row(kind.fields, ["diff"], "compare only these fields: name,position.*"),
    ignore: row(kind.fields, ["diff"], "ignore these fields"),
    output: row(path("<file>"), ["diff"], "write the report to this file instead of stdout", COMMAND),
  }),
  ...group("For readers", {
    bulk: row(yesOrNo, ["build", "dev"], "also publish all records in a few large files", DATA),
    csv: row(yesOrNo, ["build", "dev"], "publish all records as one compressed CSV file, for spreadsheets", DATA),
    parquet: row(
      yesOrNo,
      ["build", "dev"],
      "publish all records as one Parquet file, for DuckDB, pandas and polars",
      DATA,
    ),
    dataPackage: row(
      yesOrNo,
      ["build", "dev"],
      "describe the columns of the CSV file in a Data Package, for R and CKAN; needs --csv",
    ),
    lookup: row(yesOrNo, ["build"], "publish an index of keys and names", SOURCE_DATA),
    explorer: row(yesOrNo, ["build"], "publish a web page to browse all records; implies --lookup", SOURCE_DATA),
    views: row(
      kind.views,
      ["build", "dev"],
      "publish records by a field's values, or in another order: country,opened:year,-height",
      DATA,
    ),
    changes: row(
      { ...whole(0, 1000), default: 0 },
      ["build", "dev"],
      "steps from earlier snapshots to publish, for mirrors",
    ),
    feed: row(yesOrNo, ["build", "dev"], "publish an Atom feed of what the last 20 releases changed"),
  }),
  ...group("Gates", {
    maxAdded: row(
      kind.limit,
      ["build", "diff"],
      "most added records: 100, or 2% of the old count; orders=2% for one listing",
    ),
    maxRemoved: row(kind.shareLimit, ["build", "diff"], "most removed records"),
    maxChanged: row(kind.shareLimit, ["build", "diff"], "most changed records"),
    maxField: row(
      kind.fieldLimits,
      ["build", "diff"],
      "most records with a change in a field: country=10,name=5%; of a listing: orders.total=5%",
    ),
  }),
  ...group("Signing", {
    signKey: row(secretFile, ["build"], "minisign secret key (password: prompt or ROLLCALL_SIGN_PASSWORD)"),
    key: row(publicKeys, ["verify", "mirror"], "require a signature by one of these minisign keys or .pub files"),
    maxAge: row(kind.age, ["verify", "mirror"], "with --key, refuse older signatures: 90m, 36h, 2d"),
  }),
  ...group("Server", {
    port: row({ ...whole(0, 65_535), default: 8080 }, ["serve"], "port to listen on; 0 picks a free one", COMMAND),
    devPort: row(
      whole(0, 65_535),
      ["dev"],
      "port to listen on (default: 8080, or a free one if it is in use)",
      COMMAND,
    ),
    host: row(
      { ...text("<address>", "an address or a host name"), default: "127.0.0.1" },
      ["serve"],
      "address to listen on; 0.0.0.0 for all of IPv4",
      COMMAND,
    ),
    admin: row(kind.listener, ["serve"], "serve /healthz and /metrics here; a port alone is on 127.0.0.1", COMMAND),
    cacheMb: row(whole(0, 1_000_000), ["serve"], "megabytes of pages to cache (default: a quarter of the memory)"),
    accessLog: row(
      kind.accessLog,
      ["serve"],
      "log requests to stdout as JSON, or in the format of Apache and nginx",
      COMMAND,
    ),
  }),
  ...group("Hosts", {
    cacheControl: row(
      kind.cacheControl,
      ["build", "serve", "verify", "publish", "host"],
      `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL}; verify: any)`,
    ),
    adapt: row(kind.names("host"), ["build", "verify"], "hosts to write files for; verify: whose limitations to allow"),
    root: row(kind.onHost, ["host"], "path of dist on the host's machine (default: as here)"),
    serverName: row(kind.hostName("<name>"), ["host"], "name that the host answers to (default: the base URL's)"),
    basePath: row(kind.urlPath, ["build", "host"], "URL path before the listing's (default: the base URL's)"),
    address: row(kind.hostName("<address>"), ["host"], "address that the host listens on (default: all)"),
    listenPort: row(whole(1, 65_535), ["host"], "port that the host listens on (default: the base URL's; https: 80)"),
  }),
  ...group("Publishing", {
    release: row(
      text("<release>", "a release's id, its beginning, previous, or a release's folder"),
      ["publish", "host"],
      "an id or its beginning, previous, or a folder (default: current)",
    ),
    endpoint: row(kind.endpoint, ["publish"], "S3-compatible store, such as https://s3.example.com"),
    force: row(
      yesOrNo,
      ["build", "publish"],
      "replace another listing; publish: also other files and unknown releases",
    ),
    takeOver: row(yesOrNo, ["publish"], "take over the lock of a run that was killed"),
    expect: row(
      text("<id>", "the beginning of a release's id"),
      ["publish"],
      "release in the bucket to replace, if dist lacks it",
    ),
    dryRun: row(yesOrNo, ["publish"], "print what would change, and change nothing"),
    purgeList: row(path("<file>"), ["publish"], "write the URLs that changed here, to purge them from a CDN"),
  }),
  ...group("Checks", {
    against: row(
      text("<release>", "a release's id, its beginning, current, previous, a release's folder, or none"),
      ["verify"],
      "release that the host must serve, or none (default: current, if any)",
    ),
    sample: row(whole(1, MAX_PAGES), ["verify"], "number of pages to request, spread evenly (default: all)"),
    allow: row(kind.names("check"), ["verify"], "checks that may differ; repeatable"),
    concurrency: row({ ...whole(1, 64), default: 8 }, ["verify"], "requests at once"),
    rate: row(whole(1, 1_000_000), ["verify"], "most requests per second (default: no limit)"),
  }),
  ...group("Several machines", {
    shard: row(kind.shard, ["build"], "share of the pages, 0/8 to 7/8", COMMAND),
    parts: row(path("<folder>"), ["build"], "folder to which --shard writes its part", COMMAND),
    join: row(path("<folder>"), ["build"], "make the release from the parts in this folder"),
  }),
  ...group("Run", {
    workers: row(
      whole(0, 64),
      ["build", "dev", "verify"],
      "worker threads, or 0 (default: one per core; none for small work)",
      SOURCE,
    ),
    json: row(
      yesOrNo,
      ["init", "build", "dev", "serve", "releases", "use", "forget", "verify", "publish", "host", "mirror"],
      "print JSON on stdout",
      COMMAND,
    ),
    quiet: row(yesOrNo, ["init", "build", "use", "publish", "mirror"], "print nothing on success", COMMAND),
  }),
} satisfies Record<string, kind.Setting>;
