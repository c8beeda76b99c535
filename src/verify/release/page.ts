/** Checks one page of a release, and its users' lines in users.sha256. */
import { expectedEnvelope, readBody } from "../../contract/envelope.js";
import type { PagePaths } from "../../release/layout.js";
import type { Snapshot } from "../../release/snapshot.js";
import { ID_AT, LINE_BYTES, type UserIndexReader, userLines } from "../../release/user-index.js";
import { checkPage, type PageContext } from "../page.js";
import type { Records } from "../records.js";
import type { Findings } from "../verdict.js";

interface ReleaseContext extends Pick<PageContext, "pattern" | "warnings" | "findings"> {
  paths: PagePaths;
  snapshot: Snapshot | undefined;
  index: UserIndexReader | undefined;
}

/** Undefined when the body is no page, so that nothing is known of its users. */
export function checkReleasePage(page: number, bytes: Buffer, context: ReleaseContext): Records["keys"] | undefined {
  const { paths, snapshot, index, findings } = context;
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
  // A page with flaws has been reported; its lines would say it again.
  if ("frame" in body && snapshot && index && flaws.length === 0) {
    const [first, last] = [body.frame.records[0], body.frame.records.at(-1)];
    const lines = userLines(bytes.subarray(first?.[0] ?? 0, last?.[1] ?? 0));
    checkIndex(page, lines, index.lines((page - 1) * snapshot.page_size, keys.length), findings);
  }
  return keys;
}

function expectedOf(
  { count, pages, page_size: pageSize, base_url: baseUrl, links }: Snapshot,
  path: string,
  page: number,
) {
  return expectedEnvelope({ page, count, pages, pageSize, baseUrl, path, links });
}

function checkIndex(page: number, expected: Buffer, found: Buffer, findings: Findings): void {
  if (expected.equals(found)) return;
  for (let at = 0; at < expected.length; at += LINE_BYTES) {
    const [mine, theirs] = [expected, found].map((lines) => lines.toString("latin1", at, at + LINE_BYTES).trimEnd());
    if (mine === theirs) continue;
    const id = mine?.slice(ID_AT) ?? "";
    findings.add({ check: "user-index", page, id, found: theirs || "no line", expected: mine ?? "" });
  }
}
