/** Checks one page, from a release's folder or from a host: its envelope, its form and its records. */
import { type Envelope, envelopeDifferences, type PageBody } from "../contract/envelope.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import { showValue } from "../print/text.js";
import type { RecordChecker, Records } from "./records.js";
import type { Finding, Findings } from "./verdict.js";

export interface PageContext {
  /** Where the page is: its number, with its path or its URL. */
  place: Pick<Finding, "page" | "path" | "url">;
  body: PageBody;
  /** Undefined where it is not known what the envelope must say. */
  expected: Envelope | undefined;
  /** Where the expected count is from, if that is not page 1: `, as in snapshot.json`. */
  countSource?: string;
  /** The check that a page of another form fails. */
  formCheck: string;
  checker: RecordChecker;
  warnings: WarningCounts;
  findings: Findings;
}

const ENVELOPE_CHECKS = { count: "count", records: "page-size", previous: "links", next: "links" } as const;

export function checkPage(bytes: Buffer, context: PageContext): Records {
  const { place, body, expected = body.envelope, countSource = "", formCheck, checker, warnings, findings } = context;
  const { envelope } = body;
  for (const key of envelopeDifferences(envelope, expected)) {
    const [found, right] = [`${key} ${JSON.stringify(envelope[key])}`, JSON.stringify(expected[key])];
    const source = key === "count" ? countSource : "";
    findings.add({ check: ENVELOPE_CHECKS[key], ...place, found, expected: right + source });
  }
  if (!("frame" in body)) {
    const found = showValue(bytes.toString("utf8", 0, 80));
    const form = "sorted keys, one record a line, one final newline";
    findings.add({ check: formCheck, ...place, found, expected: form });
  }
  const records =
    "frame" in body
      ? checker.checkText(bytes, body.frame.records, warnings)
      : checker.checkValues(body.results, warnings);
  for (const flaw of records.flaws) findings.add({ ...flaw, ...place });
  return records;
}
