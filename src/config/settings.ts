/** The one table of settings. Flags, variables, config keys, help, defaults and types all come from it. */
import type { z } from "zod";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { PAGE_SIZE } from "../contract/links.js";
import {
  baseUrl,
  checks,
  encodings,
  endpoint,
  fieldLimits,
  fields,
  headerValue,
  hostName,
  type Kind,
  limit,
  linkStyle,
  oneOf,
  onHost,
  path,
  publicUrl,
  text,
  urlPath,
  whole,
  yesOrNo,
} from "./kinds.js";
import { flagOf } from "./names.js";

interface Setting {
  kind: Kind;
  schema: z.ZodType;
  /** Completes "must be ..."; absent where the schema's own message is a sentence. */
  allowed?: string;
  default?: unknown;
  /** The verbs that have it as a flag. */
  verbs: readonly string[];
  /** Its flag, where the one made from its key is another setting's in another verb. */
  flag?: string;
  /** What stands after the flag in help. */
  placeholder?: string;
  help: string;
  /** What it means to one verb, where that differs. */
  helpFor?: Readonly<Record<string, string>>;
}

export const SETTINGS = {
  db: { ...path, verbs: ["build"], placeholder: "<file>", help: "SQLite file to read; required" },
  baseUrl: {
    ...baseUrl,
    verbs: ["build"],
    placeholder: "<url>",
    help: "where the listing will be reached, as in https://directory.example.com; required",
  },
  out: {
    ...path,
    default: "dist",
    verbs: ["build", "diff", "verify"],
    placeholder: "<folder>",
    help: "folder of the releases",
  },
  pageSize: {
    ...whole(PAGE_SIZE.min, PAGE_SIZE.max),
    default: PAGE_SIZE.default,
    verbs: ["build"],
    help: `users a page, ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
  },
  table: {
    ...text("the name of a table or view"),
    verbs: ["build"],
    placeholder: "<name>",
    help: 'table or view to read instead of "users"',
  },
  query: {
    ...path,
    verbs: ["build"],
    placeholder: "<file.sql>",
    help: "file with a SELECT that yields the columns, instead of --table",
  },
  defaultAvatar: {
    ...publicUrl,
    verbs: ["build"],
    placeholder: "<url>",
    help: "image_url of users who have none (default: an image that goes with the release)",
  },
  links: {
    ...linkStyle,
    default: "query",
    verbs: ["build"],
    help: "form of next and previous: ?format=api&page=N, or pages/N.json for hosts without queries",
  },
  compress: {
    ...encodings,
    verbs: ["build"],
    help: "codings to store each page in as well",
  },
  keep: {
    ...whole(0, 1_000_000),
    default: 5,
    verbs: ["build"],
    help: "old releases to keep; the current one always stays",
  },
  workers: {
    ...whole(0, 64),
    verbs: ["build", "serve", "verify"],
    help: "threads that read, check and write; 0 is none (default: as many as cores, none for small sources)",
    helpFor: {
      serve: "processes that serve on the port and share --cache-mb (default: 1)",
      verify: "threads that check a release; 0 is none (default: as many as cores, none for small releases)",
    },
  },
  skipInvalid: { ...yesOrNo, verbs: ["build"], help: "publish without the invalid users" },
  problems: {
    ...path,
    verbs: ["build"],
    placeholder: "<file>",
    help: "write every problem to it, as NDJSON",
  },
  port: {
    ...whole(0, 65_535),
    default: 8080,
    verbs: ["serve"],
    help: "port to listen on; 0 takes a free one",
  },
  host: {
    ...text("an address or a host name"),
    default: "127.0.0.1",
    verbs: ["serve"],
    placeholder: "<address>",
    help: "address to listen on; 0.0.0.0 is every IPv4 one",
  },
  cacheControl: {
    ...headerValue,
    verbs: ["serve", "verify", "publish", "host"],
    placeholder: "<value>",
    help: `Cache-Control of pages (default: ${DEFAULT_CACHE_CONTROL})`,
    helpFor: { verify: "Cache-Control that a host's pages must have (default: any, the same on all)" },
  },
  cacheMb: {
    ...whole(0, 1_000_000),
    default: 256,
    verbs: ["serve"],
    help: "megabytes of pages to hold in memory",
  },
  accessLog: { ...yesOrNo, verbs: ["serve"], help: "print a line for each request on stdout" },
  format: {
    ...oneOf("text", "markdown", "html", "json", "ndjson"),
    default: "text",
    verbs: ["diff"],
    help: "form of the report",
  },
  limit: {
    ...whole(0, 1_000_000_000),
    default: 20,
    verbs: ["diff"],
    help: "changes of each kind that text shows",
  },
  all: { ...yesOrNo, verbs: ["diff"], help: "show every change in text" },
  only: { ...fields, verbs: ["diff"], help: "fields that count: bio,off_chain.*" },
  ignore: { ...fields, verbs: ["diff"], help: "fields that do not count" },
  output: {
    ...path,
    verbs: ["diff"],
    placeholder: "<file>",
    help: "write the report to it instead of stdout",
  },
  maxAdded: {
    ...limit,
    verbs: ["build", "diff"],
    help: "users that may be added: 100, or 2% of those before",
  },
  maxRemoved: { ...limit, verbs: ["build", "diff"], help: "users that may be removed" },
  maxChanged: { ...limit, verbs: ["build", "diff"], help: "users that may change" },
  maxField: {
    ...fieldLimits,
    verbs: ["build", "diff"],
    help: "users in whom a field may change: kyc_status=10,bio=5%",
  },
  target: {
    ...text("the name of a host"),
    verbs: ["build"],
    flag: "--host",
    placeholder: "<name>",
    help: 'put what this host needs into the release; "rollcall host" lists them',
  },
  written: {
    ...path,
    verbs: ["host"],
    flag: "--out",
    placeholder: "<folder>",
    help: "write the files to it instead of printing them",
  },
  root: {
    ...onHost,
    verbs: ["host"],
    placeholder: "<folder>",
    help: "the release's folder on the host (default: where it is here)",
  },
  serverName: {
    ...hostName,
    verbs: ["host"],
    placeholder: "<name>",
    help: "name that the host answers to (default: the base URL's)",
  },
  basePath: {
    ...urlPath,
    verbs: ["host"],
    placeholder: "<path>",
    help: "path that the host sees before /api/users/ (default: the base URL's)",
  },
  address: {
    ...hostName,
    verbs: ["host"],
    placeholder: "<address>",
    help: "address that the host listens on (default: every one)",
  },
  listenPort: {
    ...whole(1, 65_535),
    verbs: ["host"],
    flag: "--port",
    help: "port that the host listens on (default: the base URL's, or 80 behind one that has https)",
  },
  origin: {
    ...publicUrl,
    verbs: ["host"],
    placeholder: "<url>",
    help: "where haproxy and fastly fetch the release's files (default: http://127.0.0.1:8081)",
  },
  check: { ...yesOrNo, verbs: ["host"], help: "measure the release against the host's limits" },
  release: {
    ...text("the beginning of a release's id"),
    verbs: ["publish", "host"],
    placeholder: "<id>",
    help: "release to take, by the beginning of its id (default: the current one)",
  },
  endpoint: {
    ...endpoint,
    verbs: ["publish"],
    placeholder: "<url>",
    help: "store that speaks S3 and is not Amazon's, as in https://s3.example.com",
  },
  force: {
    ...yesOrNo,
    verbs: ["publish"],
    help: "also replace files and releases that were not published from here",
  },
  dryRun: { ...yesOrNo, verbs: ["publish"], help: "print what would be done, and do nothing" },
  purgeList: {
    ...path,
    verbs: ["publish"],
    placeholder: "<file>",
    help: "write the URL of everything that changed to it, for a CDN to forget",
  },
  against: {
    ...text("a release's id, its beginning, current, a release's folder, or none"),
    verbs: ["verify"],
    placeholder: "<release>",
    help: "release that a host must serve, byte for byte, or none (default: the current one, if there is one)",
  },
  sample: {
    ...whole(1, 999_999_999),
    verbs: ["verify"],
    help: "pages of a host to read, spread from the first to the last (default: all)",
  },
  allow: {
    ...checks,
    verbs: ["verify"],
    help: "checks of a host that may differ; can be given again",
  },
  concurrency: {
    ...whole(1, 64),
    default: 8,
    verbs: ["verify"],
    help: "requests at once",
  },
  rate: {
    ...whole(1, 1_000_000),
    verbs: ["verify"],
    help: "requests a second, at most (default: no limit)",
  },
  junit: {
    ...path,
    verbs: ["verify"],
    placeholder: "<file>",
    help: "write the report to it as JUnit's XML, for CI",
  },
  json: {
    ...yesOrNo,
    verbs: ["init", "build", "serve", "releases", "use", "verify", "publish", "host"],
    help: "print the result as JSON on stdout",
  },
  timings: { ...yesOrNo, verbs: ["build"], help: "say where the time went, by stage" },
  quiet: { ...yesOrNo, verbs: ["init", "build", "use", "publish"], help: "print nothing on success" },
} satisfies Record<string, Setting>;

export type Key = keyof typeof SETTINGS;
type Value<K extends Key> = z.infer<(typeof SETTINGS)[K]["schema"]>;
type Defaulted = { [K in Key]: "default" extends keyof (typeof SETTINGS)[K] ? K : never }[Key];

/** What every source may give, checked. */
export type GivenSettings = { [K in Key]?: Value<K> };
/** What a verb gets: those with a default are always there. */
export type Settings = GivenSettings & { [K in Defaulted]: Value<K> };

export const KEYS = Object.keys(SETTINGS) as Key[];

/** The table's row as every setting has it. */
export function settingOf(key: Key): Setting {
  return SETTINGS[key];
}

/** `--page-size`, or what the table says instead. */
export function flagFor(key: string): string {
  return (isKey(key) ? settingOf(key).flag : undefined) ?? flagOf(key);
}

export function isKey(name: string): name is Key {
  return Object.hasOwn(SETTINGS, name);
}

/** Settings that answer one question in two ways: no place gives both, and one of a higher place replaces the other. */
export const EITHER_OR: readonly (readonly [Key, Key])[] = [["table", "query"]];
