/** Checks one page of a release: its bytes, its frame, its users, and their lines in users.sha256. */
import { type Envelope, readEnvelope, readFrame, readResults } from "../../contract/envelope.js";
import { pageUrl } from "../../contract/links.js";
import type { RecordPattern } from "../../contract/record-text.js";
import type { WarningCounts } from "../../contract/warnings.js";
import { showValue } from "../../print/text.js";
import { pagePath } from "../../release/layout.js";
import type { Snapshot } from "../../release/snapshot.js";
import { LINE_BYTES, type UserIndexReader, userLines } from "../../release/user-index.js";
import type { Findings } from "../findings.js";
import { checkRecords, checkValues, type Records } from "./records.js";

export interface PageContext {
  snapshot: Snapshot | undefined;
  pattern: RecordPattern;
  index: UserIndexReader | undefined;
  warnings: WarningCounts;
  findings: Findings;
}

/** Checks a page's body. Undefined when it holds no page, so that nothing can be said of its users. */
export function checkPage(page: number, body: Buffer, context: PageContext): Records["keys"] | undefined {
  const { snapshot, index, pattern, warnings, findings } = context;
  const path = pagePath(page);
  const frame = readFrame(body);
  const read = readEnvelope(body);
  if ("why" in read) {
    findings.add({ check: "pages", path, page, found: `a file that ${read.why}`, expected: "a page" });
    return undefined;
  }
  if (snapshot) checkEnvelope(page, read.envelope, snapshot, findings);
  if (!frame) {
    const found = showValue(body.toString("utf8", 0, 80));
    findings.add({
      check: "pages",
      path,
      page,
      found,
      expected: "sorted keys, one record a line, one final newline",
    });
  }
  const { keys, flaws } = frame
    ? checkRecords(body, frame.records, pattern, warnings)
    : checkValues(readResults(body), warnings);
  for (const flaw of flaws) findings.add({ ...flaw, path, page });
  // A page with flaws has no lines to speak of; what is wrong with it has been said.
  if (frame && snapshot && index && flaws.length === 0) {
    const [first, last] = [frame.records[0], frame.records.at(-1)];
    const lines = userLines(body.subarray(first?.[0] ?? 0, last?.[1] ?? 0));
    checkIndex(page, lines, index.lines((page - 1) * snapshot.page_size, keys.length), findings);
  }
  return keys;
}

function checkEnvelope(page: number, envelope: Envelope, snapshot: Snapshot, findings: Findings): void {
  const { count, pages, page_size, base_url, links } = snapshot;
  const path = pagePath(page);
  const compare = (check: string, key: keyof Envelope, expected: Envelope[keyof Envelope], says = "") => {
    if (envelope[key] === expected) return;
    const found = `${key} ${JSON.stringify(envelope[key])}`;
    findings.add({ check, path, page, found, expected: `${JSON.stringify(expected)}${says}` });
  };
  const link = (to: number) => (to < 1 || to > pages ? null : pageUrl(base_url, links, to));
  compare("count", "count", count, ", as in snapshot.json");
  compare("page-size", "users", Math.max(0, Math.min(page_size, count - (page - 1) * page_size)));
  compare("links", "next", link(page + 1));
  compare("links", "previous", link(page - 1));
}

function checkIndex(page: number, expected: Buffer, found: Buffer, findings: Findings): void {
  if (expected.equals(found)) return;
  for (let at = 0; at < expected.length; at += LINE_BYTES) {
    const [mine, theirs] = [expected, found].map((lines) => lines.toString("latin1", at, at + LINE_BYTES).trimEnd());
    if (mine === theirs) continue;
    const id = mine?.slice(-36) ?? "";
    findings.add({ check: "user-index", page, id, found: theirs || "no line", expected: mine ?? "" });
  }
}
