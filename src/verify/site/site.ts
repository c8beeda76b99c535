/** `rollcall verify` of a deployed host: every page, and every other promise of the contract. */
import { parseBaseUrl } from "../../contract/links.js";
import { count } from "../../print/numbers.js";
import { createClient } from "../../remote/client.js";
import { type Probe, type ProbeResult, runProbe } from "../probes/probe.js";
import type { Row, Verdict } from "../verdict.js";
import { HEADERS } from "./headers.js";
import { MOST_FAILURES, type ReadPages, readPages, type VerifySiteOptions } from "./read.js";
import { COMPARED_ROW, PAGE_ROWS, PROBES } from "./rows.js";

/**
 * Reads and probes a host. Whatever differs from the contract is a finding.
 * @throws UserError when the host cannot be reached, or its page 1 is no page.
 */
export async function verifyUrl(options: VerifySiteOptions): Promise<Verdict> {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const client = createClient({ ...options, instead: "ask for less at once with --rate" });
  try {
    const pages = await readPages(client, { ...options, baseUrl });
    const rows = pageRows(pages, options);
    let silences = 0;
    for (const probe of PROBES) {
      const result = await runProbe(probe, pages.site);
      // Each costs a whole timeout, and there are many probes.
      if (result.error?.kind === "silent" && ++silences >= MOST_FAILURES) throw result.error;
      rows.push(probeRow(probe, result, baseUrl));
    }
    const { allow = [] } = options;
    return { subject: baseUrl, rows: rows.map((row) => (allow.includes(row.name) ? allowed(row) : row)) };
  } finally {
    client.close();
  }
}

function pageRows({ findings, read, total, note }: ReadPages, { against, whyNotAgainst }: VerifySiteOptions): Row[] {
  const request = read === total ? count(total, "page") : `${read} of ${count(total, "page")}`;
  const rows = [...PAGE_ROWS, ...HEADERS, COMPARED_ROW].map(({ name, rule }): Row => {
    const { count, first } = findings.of(name);
    return { name, request, rule, outcome: count > 0 ? "differs" : "passed", count, findings: first };
  });
  return rows.map((row) => {
    if (row.name !== COMPARED_ROW.name) return row;
    if (!against) return { ...row, outcome: "skipped", note: whyNotAgainst ?? "no release to compare with" };
    return {
      ...row,
      rule: `every page has the bytes of release ${against.snapshot.id}`,
      ...(note && { note }),
    };
  });
}

function probeRow({ name, rule }: Probe, { request, received, isRight, skipped }: ProbeResult, url: string): Row {
  const row = { name, request, received, rule, count: 0, findings: [] };
  if (skipped !== undefined) return { ...row, outcome: "skipped", note: skipped };
  if (isRight) return { ...row, outcome: "passed" };
  const finding = { check: name, url, found: received, expected: rule };
  return { ...row, outcome: "differs", count: 1, findings: [finding] };
}

function allowed(row: Row): Row {
  return row.outcome === "differs" ? { ...row, outcome: "allowed" } : row;
}
