/** The one table of settings, in the order of help. Flags, variables, config keys, defaults and types all come from it. */
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import * as kind from "./kinds.js";

const { path, text, whole, yesOrNo } = kind;

export const SETTINGS = {
  // What a build reads, and the release that it makes.
  db: { ...path("<file>"), verbs: ["build"], help: "SQLite file to read; required" },
  baseUrl: {
    ...kind.baseUrl,
    verbs: ["build"],
    help: "where the listing will be reached, as in https://directory.example.com; required",
  },
  out: { ...path("<folder>"), default: "dist", verbs: ["build", "diff", "verify"], help: "folder of the releases" },
  pageSize: {
    ...whole(PAGE_SIZE.min, PAGE_SIZE.max),
    default: PAGE_SIZE.default,
    verbs: ["build"],
    help: `users a page, ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
  },
  table: {
    ...text("<name>", "the name of a table or view"),
    verbs: ["build"],
    help: 'table or view to read instead of "users"',
  },
  query: {
    ...path("<file.sql>"),
    verbs: ["build"],
    help: "file with a SELECT that yields the columns, instead of --table",
  },
  defaultAvatar: {
    ...kind.publicUrl,
    verbs: ["build"],
    help: "image_url of users who have none (default: an image that goes with the release)",
  },
  links: {
    ...kind.oneOf(...LINK_STYLES),
    verbs: ["build"],
    help: "form of next and previous: ?format=api&page=N, or pages/N.json for hosts without queries",
  },
  compress: { ...kind.encodings, verbs: ["build"], help: "codings to store each page in as well" },
  keep: {
    ...whole(0, 1_000_000),
    default: 5,
    verbs: ["build"],
    help: "old releases to keep; the current one always stays",
  },
  workers: {
    ...whole(0, 64),
    verbs: ["build", "verify"],
    help: "threads that share the work; 0 is none (default: as many as cores, none where there is little to do)",
  },
  skipInvalid: { ...yesOrNo, verbs: ["build"], help: "publish without the invalid users" },
  problems: { ...path("<file>"), verbs: ["build"], help: "write every problem to it, as NDJSON" },

  // How Rollcall's own server serves.
  port: { ...whole(0, 65_535), default: 8080, verbs: ["serve"], help: "port to listen on; 0 takes a free one" },
  host: {
    ...text("<address>", "an address or a host name"),
    default: "127.0.0.1",
    verbs: ["serve"],
    help: "address to listen on; 0.0.0.0 is every IPv4 one",
  },
  processes: {
    ...whole(1, 64),
    default: 1,
    verbs: ["serve"],
    help: "processes that serve on the port and share --cache-mb",
  },
  cacheControl: {
    ...kind.headerValue,
    verbs: ["build", "serve", "verify", "publish", "adapt"],
    help: `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL}; verify accepts any, the same on all pages)`,
  },
  cacheMb: { ...whole(0, 1_000_000), default: 256, verbs: ["serve"], help: "megabytes of pages to hold in memory" },
  fastPath: {
    ...yesOrNo,
    default: true,
    verbs: ["serve"],
    help: "send pages through Node's HTTP server like all else, which is slower",
  },
  accessLog: { ...yesOrNo, verbs: ["serve"], help: "print a line for each request on stdout" },

  // Which changes a diff shows, in which form, and how many there may be.
  format: { ...kind.oneOf("text", "markdown", "html", "json", "ndjson"), verbs: ["diff"], help: "form of the report" },
  limit: { ...whole(0, 1_000_000_000), default: 20, verbs: ["diff"], help: "changes of each kind that text shows" },
  all: { ...yesOrNo, verbs: ["diff"], help: "show every change in text" },
  only: { ...kind.fields, verbs: ["diff"], help: "fields that count: bio,off_chain.*" },
  ignore: { ...kind.fields, verbs: ["diff"], help: "fields that do not count" },
  output: { ...path("<file>"), verbs: ["diff"], help: "write the report to it instead of stdout" },
  maxAdded: { ...kind.limit, verbs: ["build", "diff"], help: "users that may be added: 100, or 2% of those before" },
  maxRemoved: { ...kind.limit, verbs: ["build", "diff"], help: "users that may be removed" },
  maxChanged: { ...kind.limit, verbs: ["build", "diff"], help: "users that may change" },
  maxField: {
    ...kind.fieldLimits,
    verbs: ["build", "diff"],
    help: "users in whom a field may change: kyc_status=10,bio=5%",
  },

  // What another host is and where: the values of its configuration.
  adapt: {
    ...kind.names("host"),
    verbs: ["build"],
    help: 'put what these hosts need into the release; "rollcall adapt" lists them',
  },
  write: { ...path("<folder>"), verbs: ["adapt"], help: "write the files to it instead of printing them" },
  root: {
    ...kind.onHost,
    verbs: ["build", "adapt"],
    help: "folder of the releases on the host's machine (default: where it is here)",
  },
  serverName: {
    ...kind.hostName("<name>"),
    verbs: ["adapt"],
    help: "name that the host answers to (default: the base URL's)",
  },
  basePath: {
    ...kind.urlPath,
    verbs: ["build", "adapt"],
    help: "path that the host sees before /api/users/ (default: the base URL's)",
  },
  address: {
    ...kind.hostName("<address>"),
    verbs: ["adapt"],
    help: "address that the host listens on (default: every one)",
  },
  listenPort: {
    ...whole(1, 65_535),
    verbs: ["adapt"],
    help: "port that the host listens on (default: the base URL's, or 80 behind one that has https)",
  },
  origin: {
    ...kind.publicUrl,
    default: "http://127.0.0.1:8081",
    verbs: ["build", "adapt"],
    help: "where haproxy finds the folder of the releases, and fastly the release's files",
  },
  check: { ...yesOrNo, verbs: ["adapt"], help: "measure the release against the host's limits" },

  // What is published where.
  release: {
    ...text("<release>", "a release's id, its beginning, previous, or a release's folder"),
    verbs: ["publish", "adapt"],
    help: "release to take: an id or its beginning, previous, or a folder (default: the current one)",
  },
  endpoint: {
    ...kind.endpoint,
    verbs: ["publish"],
    help: "store that speaks S3 and is not Amazon's, as in https://s3.example.com",
  },
  force: { ...yesOrNo, verbs: ["publish"], help: "also replace files and releases that were not published from here" },
  expect: {
    ...text("<id>", "the beginning of a release's id"),
    verbs: ["publish"],
    help: "release that a bucket holds and that may be replaced, where dist is new each time",
  },
  dryRun: { ...yesOrNo, verbs: ["publish"], help: "print what would be done, and do nothing" },
  purgeList: {
    ...path("<file>"),
    verbs: ["publish"],
    help: "write the URL of everything that changed to it, for a CDN to forget",
  },

  // What is compared with what, and how many requests that may take.
  against: {
    ...text("<release>", "a release's id, its beginning, current, previous, a release's folder, or none"),
    verbs: ["verify"],
    help: "release that a host must serve, byte for byte, or none (default: the current one, if there is one)",
  },
  sample: {
    ...whole(1, MAX_PAGES),
    verbs: ["verify"],
    help: "pages of a host to read, spread from the first to the last (default: all)",
  },
  allow: { ...kind.names("check"), verbs: ["verify"], help: "checks of a host that may differ; can be given again" },
  concurrency: { ...whole(1, 64), default: 8, verbs: ["verify"], help: "requests at once" },
  rate: { ...whole(1, 1_000_000), verbs: ["verify"], help: "requests a second, at most (default: no limit)" },
  junit: { ...path("<file>"), verbs: ["verify"], help: "write the report to it as JUnit's XML, for CI" },

  // How much is printed, for people or for programs.
  json: {
    ...yesOrNo,
    verbs: ["init", "build", "serve", "releases", "use", "verify", "publish", "adapt"],
    help: "print the result as JSON on stdout",
  },
  timings: { ...yesOrNo, verbs: ["build"], help: "say where the time went, by stage" },
  quiet: { ...yesOrNo, verbs: ["init", "build", "use", "publish"], help: "print nothing on success" },
} satisfies Record<string, kind.Setting>;
