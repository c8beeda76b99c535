/** `rollcall verify` for a host: checks every page and file, and what the contract promises about HTTP. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { MOST_RESTARTS } from "../../client/walk.js";
import type { Encoding } from "../../contract/headers.js";
import { requireBaseUrl } from "../../hosted.js";
import { count } from "../../print/numbers.js";
import { makeScratch, removeScratch } from "../../scratch/folder.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { verifyRelease } from "../release/release.js";
import { DISK_NAMES } from "../release/rows.js";
import { describeSigned, SIGNATURE_ROW, whySkipped } from "../signature.js";
import { allowedRow, type Row, type Verdict } from "../verdict.js";
import { type AskOptions, createAsker } from "./ask.js";
import { EVERYWHERE, HEADERS } from "./headers.js";
import { askQuestion, QUESTIONS } from "./questions.js";
import { MOST_FAILURES, type Reading, type ReadingOptions, readHost } from "./reading.js";

export interface VerifyHostOptions
  extends Omit<ReadingOptions, "onRequests">,
    AskOptions,
    Pick<VerifyOptions, "workers">,
    Pick<VerifyEffects, "onProgress"> {
  /** Checks that may differ -> reason, if any. */
  allowed?: ReadonlyMap<string, string | undefined> | undefined;
  /** Why no release can be compared with. */
  whyNotAgainst?: string | undefined;
}

/** The checks of pages and files. */
const ANSWER_ROWS = [
  { name: "pages", rule: "every page is 200 with an envelope" },
  { name: "one-snapshot", rule: "all responses are of one snapshot" },
  { name: "base-url", rule: "links have the base URL of the request" },
  ...HEADERS.map(({ name, rule }) => ({ name, rule })),
  { name: "same-bytes", rule: "every page has the bytes of the release" },
  { name: "both-forms", rule: "every page is the same by query and by path" },
  ...codingRows("br"),
  ...codingRows("gzip"),
  { name: "files", rule: "SHA256SUMS, and every served file that it lists, has the bytes of the release" },
  SIGNATURE_ROW,
] as const;

function codingRows(coding: Encoding) {
  return [
    {
      name: coding,
      rule: `every page for Accept-Encoding: ${coding} is the same, in ${coding} if the release has it`,
    },
    {
      name: `${coding}-tag`,
      rule: `every page in ${coding} has a strong ETag of its own`,
    },
    { name: `${coding}-vary`, rule: `every page in ${coding} has Vary: Accept, Accept-Encoding, in one line` },
  ];
}

/** The checks of a host, as the docs list them. */
export const HOST_ROWS: readonly Pick<Row, "name" | "rule">[] = [...ANSWER_ROWS, ...QUESTIONS];

/** Verifies a host. @throws UserError if it cannot be reached, has no page 1, or fails repeatedly */
export async function verifyHost(options: VerifyHostOptions): Promise<Verdict> {
  const baseUrl = requireBaseUrl(options.baseUrl);
  const { onProgress, against } = options;
  const asker = createAsker(options);
  const scratch = await makeScratch("verify");
  const onRequests = (requests: number, total: number) => onProgress?.({ requests, total: total + QUESTIONS.length });
  try {
    let folder = "";
    let reading: Reading | undefined;
    for (let restarts = 0; restarts <= MOST_RESTARTS && (!reading || reading.hasMoved); restarts++) {
      folder = mkdtempSync(join(scratch, "host-"));
      reading = await readHost(asker, { ...options, baseUrl, onRequests }, folder);
    }
    if (!reading) throw new Error("Nothing was read.");
    const { site, findings, contract, asked, hasMoved, promised, whyAbsent } = reading;
    if (hasMoved) {
      const found = `a different one each of the ${MOST_RESTARTS + 1} times that its pages were read`;
      findings.add({
        check: "one-snapshot",
        url: site.first.url,
        found,
        expected: "the same snapshot in every answer",
      });
    }
    const questions: Row[] = [];
    let failures = 0;
    for (const question of QUESTIONS) {
      const { row, answer, error } = await askQuestion(question, site);
      if (error && ++failures >= MOST_FAILURES) throw error;
      questions.push(row);
      for (const { name, header, expectedIfWrong } of EVERYWHERE) {
        const expected = answer && expectedIfWrong(answer, site);
        if (answer === undefined || expected === undefined) continue;
        const found = `${row.request}: ${answer.headers.get(header) ?? `no ${header}`}`;
        findings.add({ check: name, url: baseUrl, found, expected });
      }
      const { requests } = asker;
      onProgress?.({ requests, total: requests + QUESTIONS.length - questions.length });
    }
    const { words } = contract.listing;
    // Without a release to compare with, verify what the host serves as a release.
    const own = against
      ? []
      : (
          await verifyRelease({
            ...{ folder, findings, promised, isSample: asked.pages < asked.of, whyAbsent },
            ...{ workers: options.workers, signal: options.signal, onProgress },
          })
        ).rows;
    const known = new Set(ANSWER_ROWS.map(({ name }) => name));
    const answers = answerRows(reading, options);
    const rows = [...answers, ...own.filter(({ name }) => !known.has(name)), ...questions];
    return {
      ...{ subject: baseUrl, words, asked: { ...asked, requests: asker.requests } },
      rows: rows.map((row) => allowedRow(row, options.allowed)),
    };
  } finally {
    asker.close();
    removeScratch(scratch);
  }
}

function answerRows({ findings, asked, note, signature }: Reading, options: VerifyHostOptions): Row[] {
  const { against, whyNotAgainst = "there is no release to compare with" } = options;
  const pages = asked.pages === asked.of ? count(asked.of, "page") : `${asked.pages} of ${count(asked.of, "page")}`;
  const requests = new Map([
    ["files", count(asked.files, "file")],
    [SIGNATURE_ROW.name, describeSigned(signature)],
  ]);
  const skipped = new Map<string, string | undefined>([
    ["same-bytes", against ? undefined : whyNotAgainst],
    ["both-forms", asked.links.length < 2 ? "the host maps no query to a page" : undefined],
    [SIGNATURE_ROW.name, whySkipped(signature)],
  ]);
  for (const coding of ["br", "gzip"] as const)
    if (!asked.codings.includes(coding))
      for (const { name } of codingRows(coding)) skipped.set(name, `no answer is in ${coding}`);
  return ANSWER_ROWS.map(({ name, rule }): Row => {
    const { count, first } = findings.of(name);
    const row = { name, request: requests.get(name) ?? pages, rule, count, findings: first };
    const why = count === 0 ? skipped.get(name) : undefined;
    if (why !== undefined) return { ...row, outcome: "skipped", note: why };
    return { ...row, outcome: count > 0 ? "differs" : "passed", ...(name === "same-bytes" && note && { note }) };
  });
}

/** All names that `--allow` accepts, in the order of the report. */
export const CHECK_NAMES: readonly string[] = [
  ...new Set([...ANSWER_ROWS.map(({ name }) => name), ...DISK_NAMES, ...QUESTIONS.map(({ name }) => name)]),
];
