/** The table of what is checked of a host: its pages, their headers, and the probes, in the order of the report. */

import { ASKING } from "../probes/asking.js";
import { CACHING } from "../probes/caching.js";
import { ERRORS, METHODS } from "../probes/methods.js";
import type { Probe } from "../probes/probe.js";
import { HEADERS } from "./headers.js";

/** What is checked of every page, besides its headers. */
export const PAGE_ROWS = [
  { name: "pages", rule: "every page is answered with 200 and an envelope" },
  { name: "one-snapshot", rule: "all answers are of one snapshot" },
  { name: "base-url", rule: "links have the base URL of the request" },
  { name: "count", rule: "count is the number of users there are, on every page" },
  { name: "page-size", rule: "every page but the last is full, and the last has the rest" },
  { name: "links", rule: "next and previous chain every page from the first to the last and back" },
  { name: "users", rule: "every user is valid by the contract" },
  { name: "canonical", rule: "every page is canonical: the same data is the same bytes" },
  { name: "order", rule: "newest first by date_joined, ties by id, across all pages" },
  { name: "unique-ids", rule: "no two users have the same id" },
] as const;

export const COMPARED_ROW = { name: "same-bytes", rule: "every page has the bytes of the release" } as const;

export const PROBES: readonly Probe[] = [...ASKING, ...METHODS, ...ERRORS, ...CACHING];

/** Every name that `--allow` accepts. */
export const ROW_NAMES: readonly string[] = [...PAGE_ROWS, ...HEADERS, COMPARED_ROW, ...PROBES].map(({ name }) => name);
