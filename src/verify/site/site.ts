/** `rollcall verify` of a deployed host: every page as every reader gets it, every file, and every other promise of the contract. */
import { count } from "../../print/numbers.js";
import { BULK, CHANGES } from "../../release/layout.js";
import { createClient } from "../../remote/client.js";
import { findBaseUrl } from "../../remote/contract.js";
import { headerOf } from "../../remote/exchange.js";
import { makeScratch, removeScratch } from "../../scratch/folder.js";
import { type Probe, type ProbeResult, runProbe } from "../probes/probe.js";
import { wordingOf } from "../rules.js";
import { describeSigned, SIGNATURE_ROW, whySkipped } from "../signature.js";
import { allowedRow, type Row, type Verdict } from "../verdict.js";
import { MOST_FAILURES } from "./attempt.js";
import { EVERYWHERE } from "./headers.js";
import { readSite, type SiteReading, type VerifySiteOptions } from "./read.js";
import { COMPARED_ROW, codingRows, FILES_ROW, FORMS_ROW, PROBES, rowsOf } from "./rows.js";

/** @throws UserError when the host cannot be reached, its page 1 is no page, or it fails to answer again and again. */
export async function verifyUrl(options: VerifySiteOptions): Promise<Verdict> {
  const client = createClient({ ...options, instead: "ask for less at once with --rate" });
  const scratch = await makeScratch("verify");
  try {
    const baseUrl = await findBaseUrl(client, options.baseUrl);
    const reading = await readSite(client, { ...options, baseUrl }, scratch);
    const { site, findings, asked } = reading;
    const probed: Row[] = [];
    let failures = 0;
    for (const [at, probe] of PROBES.entries()) {
      const result = await runProbe(probe, site);
      if (result.error && ++failures >= MOST_FAILURES) throw result.error;
      probed.push(probeRow(probe, result, baseUrl));
      const answer = result.isRight && result.skipped === undefined ? result.answer : undefined;
      for (const { name, header, whyNot } of EVERYWHERE) {
        const expected = answer && whyNot(answer, site);
        if (answer === undefined || expected === undefined) continue;
        const found = `${result.request}: ${headerOf(answer, header) ?? `no ${header}`}`;
        findings.add({ check: name, url: baseUrl, found, expected });
      }
      const { requests } = client;
      options.onProgress?.({ requests, total: requests + PROBES.length - 1 - at });
    }
    const rows = [...siteRows(reading, options), ...probed].map((row) => allowedRow(row, options.allowed));
    const { words } = site.first.facts.contract.listing;
    return { subject: baseUrl, words, asked: { ...asked, requests: client.requests }, rows };
  } finally {
    client.close();
    removeScratch(scratch);
  }
}

function siteRows(
  { site, findings, asked, note, whyNoRelease, signature, lookup }: SiteReading,
  options: VerifySiteOptions,
): Row[] {
  const { against, whyNotAgainst = "no release to compare with" } = options;
  const pages = asked.pages === asked.of ? count(asked.of, "page") : `${asked.pages} of ${count(asked.of, "page")}`;
  const requests = new Map<string, string>([
    [FILES_ROW.name, count(asked.files, "file")],
    [SIGNATURE_ROW.name, describeSigned(signature)],
  ]);
  const skipped = new Map(lookup.unproved);
  if (whyNoRelease !== undefined) skipped.set(COMPARED_ROW.name, `${whyNotAgainst}, and ${whyNoRelease}`);
  const whyUnsigned = whySkipped(signature);
  if (whyUnsigned !== undefined) skipped.set(SIGNATURE_ROW.name, whyUnsigned);
  const { release } = site;
  for (const [name, path] of Object.entries({ bulk: BULK, changes: CHANGES }))
    if (!release?.sums.others.has(path))
      skipped.set(name, release ? `the release has no ${path}` : "no release is known");
  if (asked.links.length < 2) skipped.set(FORMS_ROW.name, "the host maps no query to a page");
  for (const coding of ["br", "gzip"] as const)
    if (!asked.codings.includes(coding))
      for (const { name } of codingRows(coding)) skipped.set(name, `no answer is in ${coding}`);
  return rowsOf(wordingOf(site.first.facts.contract)).map(({ name, rule }): Row => {
    const { count: found, first } = findings.of(name);
    const request = requests.get(name) ?? pages;
    const row = { name, request, rule, count: found, findings: first };
    const why = found === 0 ? skipped.get(name) : undefined;
    if (why !== undefined) return { ...row, outcome: "skipped", note: why };
    const outcome = found > 0 ? "differs" : "passed";
    if (name !== COMPARED_ROW.name) return { ...row, outcome };
    const of = against
      ? `the bytes of release ${site.release?.snapshot.id}`
      : "the SHA-256 that the host's own SHA256SUMS lists";
    return { ...row, rule: `every page has ${of}`, outcome, ...(note && { note }) };
  });
}

function probeRow({ name, rule }: Probe, { request, received, isRight, skipped }: ProbeResult, url: string): Row {
  const row = { name, request, received, rule, count: 0, findings: [] };
  if (skipped !== undefined) return { ...row, outcome: "skipped", note: skipped };
  if (isRight) return { ...row, outcome: "passed" };
  const finding = { check: name, url, found: received, expected: rule };
  return { ...row, outcome: "differs", count: 1, findings: [finding] };
}
