/** What a build reads, and the release that it makes. */
import { LINK_STYLES, PAGE_SIZE } from "../../contract/links.js";
import { baseUrl, encodings, linkStyle, path, publicUrl, text, whole, yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const BUILD = {
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
    default: LINK_STYLES[0],
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
    verbs: ["build", "verify"],
    help: "threads that share the work; 0 is none (default: as many as cores, none where there is little to do)",
  },
  skipInvalid: { ...yesOrNo, verbs: ["build"], help: "publish without the invalid users" },
  problems: {
    ...path,
    verbs: ["build"],
    placeholder: "<file>",
    help: "write every problem to it, as NDJSON",
  },
} satisfies Record<string, Setting>;
