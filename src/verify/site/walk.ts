/** Reads the pages of a host, all or some, and judges each, and then what they say of each other. */
import { pageUrl } from "../../contract/links.js";
import { recordPattern } from "../../contract/record-text.js";
import { IdTable } from "../../release/repeated-ids.js";
import { decodeBody } from "../../remote/decode.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { readFirst } from "../../remote/first.js";
import { TransferError } from "../../remote/transfer.js";
import { each } from "../../workers/at-most.js";
import type { Findings } from "../findings.js";
import type { ProbedSite } from "../probes/probe.js";
import { checkIds, Seams, Users } from "../release/order.js";
import type { ReleaseComparison } from "./compare.js";
import { judgePage } from "./page.js";

export interface WalkedPages {
  /** How many were read. */
  pages: number;
  users: number;
  /** The snapshot is not the one that the walk began with: everything has to be asked again. */
  hasChanged: boolean;
}

interface PageWalkOptions {
  /** Ascending. */
  pages: Iterable<number>;
  /** How many they are. */
  planned: number;
  concurrency: number;
  comparison: ReleaseComparison | undefined;
  onProgress(done: { users: number; total: number }): void;
}

/** A host that fails this often to answer in full is given up. */
export const MOST_FAILURES = 20;
/** After so many answers that are no pages the rest is not asked for: a count may promise millions that are not there. */
const MOST_WRONG = 100;

/** @throws TransferError when the host fails again and again to answer. */
export async function walkPages(site: ProbedSite, findings: Findings, options: PageWalkOptions): Promise<WalkedPages> {
  const { pages, planned, concurrency, comparison, onProgress } = options;
  const { client, first } = site;
  const { baseUrl, links, snapshotId } = first.facts;
  const pattern = recordPattern(`${first.facts.linkBase}/avatar.svg`);
  const seams = new Seams(findings);
  const ids = new IdTable();
  const { count, pageSize = count } = first.facts;
  const expected = Math.min(count, planned * pageSize);
  let [users, failures, wrong, done] = [0, 0, 0, 0];

  const take = (page: number, answer: RemoteResponse, bytes: Buffer) => {
    const id = headerOf(answer, "Snapshot-Id");
    if (id !== undefined && snapshotId !== undefined && id !== snapshotId)
      findings.add({
        check: "one-snapshot",
        page,
        url: answer.url,
        found: id,
        expected: `${snapshotId}, as on page 1`,
      });
    const keys = judgePage(page, answer, bytes, { site, pattern, findings });
    if (!keys) {
      wrong++;
      return undefined;
    }
    comparison?.take(page, answer.url, bytes);
    const here = new Users(findings);
    here.add(page, keys);
    users += here.count;
    for (const { page, ids: some } of here.ids) ids.add(page, some);
    return here.edges;
  };
  const read = async (at: number, page: number) => {
    const url = pageUrl(baseUrl, links, page);
    try {
      const answer = page === 1 ? first.answer : await client.ask(url);
      seams.add(at, 1, take(page, answer, page === 1 ? first.bytes : await decodeBody(answer)));
    } catch (error) {
      if (!(error instanceof TransferError) || ++failures >= MOST_FAILURES) throw error;
      findings.add({
        check: "pages",
        page,
        url,
        found: `no page: it ${error.why}`,
        expected: "200 with a page",
      });
      seams.add(at, 1, undefined);
    }
    done++;
    onProgress({ users, total: expected });
  };
  try {
    const asked = function* () {
      let at = 0;
      for (const page of pages) {
        if (wrong >= MOST_WRONG) return;
        yield [++at, page] as const;
      }
    };
    await each(asked(), concurrency, ([at, page]) => read(at, page));
    checkIds(ids, findings);
  } finally {
    ids.close();
  }
  const again = await readFirst(client, baseUrl, {});
  return { pages: done, users, hasChanged: !again.bytes.equals(first.bytes) };
}
