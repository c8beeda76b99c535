/** Checks one page of a release, and its records' lines in the list of records. */
import { expectedEnvelope, readBody } from "../../contract/envelope.js";
import type { RecordFinder } from "../../contract/record/locate.js";
import { shorten, visible } from "../../print/text.js";
import type { PagePaths } from "../../release/layout.js";
import type { RecordLines } from "../../release/record/lines.js";
import { KEY_AT, recordLines } from "../../release/record/list.js";
import type { Snapshot } from "../../release/snapshot.js";
import { checkPage, type PageContext } from "../page.js";
import type { Records } from "../records.js";
import type { Findings } from "../verdict.js";

interface ReleaseContext extends Pick<PageContext, "checker" | "warnings" | "findings"> {
  paths: PagePaths;
  snapshot: Snapshot | undefined;
  finder: RecordFinder;
  list: RecordLines | undefined;
}

export interface CheckedPage {
  keys: Records["keys"];
  /** The text of all records, where each is valid and canonical. */
  records: Buffer | undefined;
}

/** Undefined when the body is no page, so that nothing is known of its records. */
export function checkReleasePage(page: number, bytes: Buffer, context: ReleaseContext): CheckedPage | undefined {
  const { paths, snapshot, finder, list, findings } = context;
  const place = { path: paths.path(page), page };
  const body = readBody(bytes);
  if ("why" in body) {
    findings.add({ check: "pages", ...place, found: `a file that ${body.why}`, expected: "a page" });
    return undefined;
  }
  const { keys, flaws } = checkPage(bytes, {
    ...{ ...context, place, body, formCheck: "pages", countSource: ", as in snapshot.json" },
    expected: snapshot && expectedOf(snapshot, paths.listing, page),
  });
  if (!("frame" in body) || flaws.length > 0) return { keys, records: undefined };
  const [first, last] = [body.frame.records[0], body.frame.records.at(-1)];
  const records = bytes.subarray(first?.[0] ?? 0, last?.[1] ?? 0);
  // The lines of a page with flaws, which has been reported, would say it again.
  const lines = snapshot && list && recordLines(finder, records);
  if (lines) checkList(page, lines, list.lines((page - 1) * snapshot.page_size, keys.length), findings);
  return { keys, records };
}

function expectedOf(
  { count, pages, page_size: pageSize, base_url: baseUrl, links }: Snapshot,
  path: string,
  page: number,
) {
  return expectedEnvelope({ page, count, pages, pageSize, baseUrl, path, links });
}

/** Of a line, whose key may have any length. */
const LONGEST_SHOWN = 120;

function checkList(page: number, expected: Buffer, found: Buffer, findings: Findings): void {
  if (expected.equals(found)) return;
  const theirs = found.toString("utf8").split("\n");
  for (const [at, line] of expected.toString("utf8").trimEnd().split("\n").entries()) {
    if (line === theirs[at]) continue;
    const [id, mine] = [line.slice(KEY_AT), line].map((text) => shorten(text, LONGEST_SHOWN));
    const other = visible(shorten(theirs[at] ?? "", LONGEST_SHOWN)) || "no line";
    findings.add({ check: "record-list", page, id: id ?? "", found: other, expected: mine ?? "" });
  }
}
