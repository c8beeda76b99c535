/** Judges one page that a host has answered: its headers, its envelope, its users. */
import { type Envelope, readFrame, readResults } from "../../contract/envelope.js";
import type { RecordPattern } from "../../contract/record-text.js";
import { showValue } from "../../print/text.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { expectedOf, readPage } from "../../remote/listing.js";
import type { Findings } from "../findings.js";
import type { ProbedSite } from "../probes/probe.js";
import { checkRecords, checkValues, type OrderKey } from "../release/records.js";
import { HEADERS } from "./headers.js";

/** Undefined when the answer is no page, so that nothing can be said of its users. */
export function judgePage(
  page: number,
  answer: RemoteResponse,
  bytes: Buffer,
  { site, pattern, findings }: { site: ProbedSite; pattern: RecordPattern; findings: Findings },
): (OrderKey | undefined)[] | undefined {
  const { url } = answer;
  const read = readPage(answer, bytes);
  if ("why" in read) {
    findings.add({ check: "pages", page, url, found: read.came, expected: "200 with a page" });
    return undefined;
  }
  for (const { name, header, whyNot } of HEADERS) {
    const expected = whyNot(answer, site);
    if (expected === undefined) continue;
    findings.add({ check: name, page, url, found: headerOf(answer, header) ?? `no ${header}`, expected });
  }
  checkEnvelope(page, url, read.envelope, site, findings);
  const frame = readFrame(bytes);
  if (!frame) {
    const found = showValue(bytes.toString("utf8", 0, 80));
    findings.add({
      check: "canonical",
      page,
      url,
      found,
      expected: "sorted keys, one record a line, one final newline",
    });
  }
  const { keys, flaws } = frame ? checkRecords(bytes, frame.records, pattern, {}) : checkValues(readResults(bytes), {});
  for (const flaw of flaws) findings.add({ ...flaw, page, url });
  return keys;
}

const ROWS = { count: "count", users: "page-size", previous: "links", next: "links" } as const;

function checkEnvelope(page: number, url: string, envelope: Envelope, site: ProbedSite, findings: Findings): void {
  const expected = expectedOf(site.first.facts, page);
  for (const key of ["count", "users", "previous", "next"] as const) {
    if (envelope[key] === expected[key]) continue;
    const found = `${key} ${JSON.stringify(envelope[key])}`;
    findings.add({ check: ROWS[key], page, url, found, expected: JSON.stringify(expected[key]) });
  }
}
