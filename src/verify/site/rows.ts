/** The table of what is checked of a host: its pages and files, their headers, and the probes, in the order of the report. */
import type { Encoding } from "../../contract/headers.js";
import { BULK, CHANGES } from "../../release/layout.js";
import { ASKING } from "../probes/asking.js";
import { CACHING } from "../probes/caching.js";
import { EXPLORERS } from "../probes/explorer.js";
import { ERRORS, METHODS } from "../probes/methods.js";
import { PARTS } from "../probes/parts.js";
import type { Probe } from "../probes/probe.js";
import { lookupRules, NO_WORDING, recordRules, type Wording } from "../rules.js";
import { SIGNATURE_ROW } from "../signature.js";
import type { Row } from "../verdict.js";
import { HEADERS } from "./headers.js";

/** What is checked of every page, besides its headers. */
export function everyPageRows(wording: Wording) {
  const rules = recordRules(wording);
  return [
    { name: "pages", rule: "every page is answered with 200 and an envelope" },
    { name: "one-snapshot", rule: "all answers are of one snapshot" },
    { name: "base-url", rule: "links have the base URL of the request" },
    { name: "count", rule: rules.count },
    { name: "page-size", rule: rules.pageSize },
    { name: "links", rule: rules.links },
    { name: "records", rule: rules.records },
    { name: "canonical", rule: "every page is canonical: the same data is the same bytes" },
    { name: "order", rule: rules.order },
    { name: "unique-keys", rule: rules.uniqueKeys },
  ] as const;
}

export const COMPARED_ROW = { name: "same-bytes", rule: "every page has the bytes of the release" } as const;
export const FORMS_ROW = { name: "both-forms", rule: "every page is the same by query and by path" } as const;

/** What is checked of every page in a coding. */
export function codingRows(coding: Encoding) {
  const page = `every page for Accept-Encoding: ${coding} is the same, in ${coding} where the release has it`;
  const tag = `every page in ${coding} has a strong ETag of its own, made of the SHA-256 of what is sent`;
  return [
    { name: coding, rule: page },
    { name: `${coding}-tag`, rule: tag },
    { name: `${coding}-vary`, rule: `every page in ${coding} has Vary: Accept, Accept-Encoding, in one line` },
  ] as const;
}

export const FILES_ROW = {
  name: "files",
  rule: "SHA256SUMS, and every other file for readers that it lists, is answered with its bytes",
} as const;

function bulkRow({ one }: Wording) {
  return { name: "bulk", rule: `the parts of ${BULK} hold every ${one} as its page does, in order, and nothing else` };
}

const CHANGES_ROW = {
  name: "changes",
  rule: `each step of ${CHANGES} is whole, and what the newest puts and removes fits the pages`,
} as const;

/** The rows that are about all pages and files. */
export function rowsOf(wording: Wording): readonly Pick<Row, "name" | "rule">[] {
  return [
    ...[...everyPageRows(wording), ...HEADERS, COMPARED_ROW, FORMS_ROW],
    ...[...codingRows("br"), ...codingRows("gzip"), FILES_ROW, bulkRow(wording), CHANGES_ROW],
    ...Object.entries(lookupRules(wording)).map(([name, rule]) => ({ name, rule })),
    SIGNATURE_ROW,
  ];
}

export const PROBES: readonly Probe[] = [...ASKING, ...METHODS, ...ERRORS, ...CACHING, ...PARTS, ...EXPLORERS];

/** Every name that `--allow` accepts. */
export const ROW_NAMES: readonly string[] = [...rowsOf(NO_WORDING), ...PROBES].map(({ name }) => name);
