/** The table of settings, in the order of help. Flags, variables, config keys, defaults and types are derived from it. */
import { DOWNLOADS, type DownloadName } from "../contract/downloads.js";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import { publicKeys, secretFile } from "./keys.js";
import * as kind from "./kinds.js";

const { dataRow, group, path, row, text, whole, yesOrNo } = kind;

const downloads = Object.fromEntries(
  Object.entries(DOWNLOADS).map(([name, { what }]) => [name, dataRow(yesOrNo, ["build", "dev"], `publish ${what}`)]),
) as Record<DownloadName, ReturnType<typeof dataRow<typeof yesOrNo>>>;

export const SETTINGS = {
  ...group("Source", {
    from: row(path("<file>"), ["init"], "SQLite, CSV, TSV or NDJSON file to write a contract for"),
    db: row(path("<file>"), ["build", "dev"], "SQLite, CSV, TSV or NDJSON file to read; required"),
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
    contract: dataRow(
      kind.contract,
      ["build", "dev", "diff", "schema"],
      "contract of the records (default: rollcall.contract.json beside the config file, or that of a directory of users)",
    ),
    words: row(kind.words, ["init"], "words for one record and for many (default: from the table's name)"),
    title: row(text("<title>", "a text"), ["init"], "title of a record (default: the word for one)"),
    path: row(
      text("<path>", "a path like /v1/stations/"),
      ["init"],
      "the listing's path (default: from the table's name)",
    ),
    skipInvalid: row(yesOrNo, ["build", "dev"], "publish without the invalid records"),
    problems: row(path("<file>"), ["build", "dev"], "write every problem to it, as NDJSON"),
  }),
  ...group("Output", {
    baseUrl: dataRow(
      kind.baseUrl,
      ["build"],
      "where the listing will be reached, as in https://directory.example.com; required",
    ),
    dist: row(
      { ...path("<folder>"), default: "dist" },
      ["build", "diff", "verify", "schema", "serve", "host", "publish", "releases", "forget", "use"],
      "folder of the releases",
    ),
    pageSize: dataRow(
      { ...whole(PAGE_SIZE.min, PAGE_SIZE.max), default: PAGE_SIZE.default },
      ["build", "dev"],
      `records a page, ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
    ),
    links: dataRow(
      kind.oneOf(...LINK_STYLES),
      ["build", "dev"],
      "form of next and previous: ?format=api&page=N, or pages/N.json for hosts without queries",
    ),
    compress: dataRow(kind.encodings, ["build"], "codings to store each page in as well"),
    defaultAvatar: dataRow(
      kind.publicUrl,
      ["build", "dev"],
      "image of records that have none (default: one that goes with the release)",
    ),
    keep: row({ ...whole(0, 1_000_000), default: 5 }, ["build"], "old releases to keep; the current one always stays"),
    write: row(path("<folder>"), ["host"], "write the files to it instead of printing them"),
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
    junit: row(path("<file>"), ["verify"], "write the report to it as JUnit's XML, for CI"),
  }),
  ...group("For readers", {
    bulk: dataRow(
      yesOrNo,
      ["build", "dev"],
      "publish all records in a few files as well, for readers who want everything",
    ),
    ...downloads,
    lookup: dataRow(
      yesOrNo,
      ["build"],
      "publish where each record is, so that readers find one by its key or its names",
    ),
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
  }),
  ...group("Gates", {
    maxAdded: row(kind.limit, ["build", "diff"], "records that may be added: 100, or 2% of those before"),
    maxRemoved: row(kind.shareLimit, ["build", "diff"], "records that may be removed"),
    maxChanged: row(kind.shareLimit, ["build", "diff"], "records that may change"),
    maxField: row(kind.fieldLimits, ["build", "diff"], "records in which a field may change: country=10,name=5%"),
  }),
  ...group("Signing", {
    signKey: row(
      secretFile,
      ["build"],
      "sign the release with this secret key of minisign's; its password is asked for, or in ROLLCALL_SIGN_PASSWORD",
    ),
    key: row(
      publicKeys,
      ["verify", "mirror"],
      "public key of minisign's that must have signed the release, or its file; of several, any one",
    ),
    maxAge: row(kind.age, ["verify", "mirror"], "how long ago it may have been signed: 90m, 36h, 2d; with --key"),
  }),
  ...group("Server", {
    port: row({ ...whole(0, 65_535), default: 8080 }, ["serve"], "port to listen on; 0 takes a free one"),
    devPort: row(whole(0, 65_535), ["dev"], "port to listen on (default: 8080, or a free one where that is taken)"),
    host: row(
      { ...text("<address>", "an address or a host name"), default: "127.0.0.1" },
      ["serve"],
      "address to listen on; 0.0.0.0 is every IPv4 one",
    ),
    admin: row(
      kind.listener,
      ["serve"],
      "answer /healthz and /metrics there, and nothing else; a port alone is one of 127.0.0.1",
    ),
    processes: row({ ...whole(1, 64), default: 1 }, ["serve"], "processes that serve on the port and share --cache-mb"),
    cacheMb: row(
      whole(0, 1_000_000),
      ["serve"],
      "megabytes of pages to hold in memory (default: a quarter of the memory that there is)",
    ),
    accessLog: row(
      kind.accessLog,
      ["serve"],
      "print a line for each request on stdout; combined is the form of Apache and nginx, with referer and agent",
    ),
  }),
  ...group("Hosts", {
    cacheControl: row(
      kind.cacheControl,
      ["build", "serve", "verify", "publish", "host"],
      `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL}; verify accepts any, the same on all pages)`,
    ),
    adapt: row(
      kind.names("host"),
      ["build", "verify"],
      'put what these hosts need into the release, or allow what they cannot do; "rollcall host" lists them',
    ),
    root: row(
      kind.onHost,
      ["build", "host"],
      "folder of the releases on the host's machine (default: where it is here)",
    ),
    serverName: row(kind.hostName("<name>"), ["host"], "name that the host answers to (default: the base URL's)"),
    basePath: row(
      kind.urlPath,
      ["build", "host"],
      "path that the host sees before the listing's (default: the base URL's)",
    ),
    address: row(kind.hostName("<address>"), ["host"], "address that the host listens on (default: every one)"),
    listenPort: row(
      whole(1, 65_535),
      ["host"],
      "port that the host listens on (default: the base URL's, or 80 behind one that has https)",
    ),
    origin: row(
      { ...kind.publicUrl, default: "http://127.0.0.1:8081" },
      ["build", "host"],
      "where fastly finds the release's files",
    ),
    check: row(yesOrNo, ["host"], "measure the release against the host's limits"),
  }),
  ...group("Publishing", {
    release: row(
      text("<release>", "a release's id, its beginning, previous, or a release's folder"),
      ["publish", "host"],
      "release to take: an id or its beginning, previous, or a folder (default: the current one)",
    ),
    endpoint: row(kind.endpoint, ["publish"], "store that speaks S3 and is not Amazon's, as in https://s3.example.com"),
    force: row(
      yesOrNo,
      ["publish"],
      "also replace files that Rollcall did not put there, and releases of another base URL or not in dist; take over the lock of a bucket",
    ),
    expect: row(
      text("<id>", "the beginning of a release's id"),
      ["publish"],
      "release that a bucket holds and that may be replaced although dist does not have it",
    ),
    dryRun: row(yesOrNo, ["publish"], "print what would be done, and do nothing"),
    purgeList: row(path("<file>"), ["publish"], "write the URL of everything that changed to it, for a CDN to forget"),
  }),
  ...group("Checks", {
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
    allow: row(kind.names("check"), ["verify"], "checks that may differ; can be given again"),
    concurrency: row({ ...whole(1, 64), default: 8 }, ["verify"], "requests at once"),
    rate: row(whole(1, 1_000_000), ["verify"], "requests a second, at most (default: no limit)"),
  }),
  ...group("Several machines", {
    shard: row(
      kind.shard,
      ["build", "publish"],
      "share of the pages, from 0/8 to 7/8, where several machines work; auto takes it from the variables of a job engine",
    ),
    parts: row(path("<folder>"), ["build"], "folder in which a shard leaves its part"),
    join: row(path("<folder>"), ["build"], "make the release of the parts in it, instead of reading the records"),
  }),
  ...group("Run", {
    workers: row(
      whole(0, 64),
      ["build", "dev", "verify"],
      "threads that share the work; 0 is none (default: as many as cores, none where there is little to do)",
    ),
    every: row(kind.pause, ["mirror"], "go on until stopped, and look so often for what has changed: 60s, 15m"),
    json: row(
      yesOrNo,
      ["init", "build", "dev", "serve", "releases", "use", "forget", "verify", "publish", "host", "mirror"],
      "print the result as JSON on stdout",
    ),
    timings: row(yesOrNo, ["build"], "say where the time went, by stage"),
    quiet: row(yesOrNo, ["init", "build", "use", "publish", "mirror"], "print nothing on success"),
  }),
} satisfies Record<string, kind.Setting>;
