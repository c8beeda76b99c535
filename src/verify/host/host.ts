/** `rollcall verify` for a host: compares every page and file with a release, and checks what the contract promises about HTTP. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { MOST_RESTARTS } from "../../client/walk.js";
import { parseBaseUrl } from "../../contract/base-url.js";
import type { Encoding } from "../../contract/headers.js";
import { count } from "../../print/numbers.js";
import { SNAPSHOT } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { makeScratch, removeScratch } from "../../scratch/folder.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { verifyRelease } from "../release/release.js";
import { DISK_ROWS, skippedRows } from "../release/rows.js";
import { SIGNATURE_ROW } from "../signature.js";
import { checkRow, Findings, type Row, type Verdict } from "../verdict.js";
import { type Asker, type AskOptions, createAsker } from "./ask.js";
import { DOWNLOAD_ROW, downloadAll, downloadManifest } from "./download.js";
import { EVERYWHERE, HEADERS } from "./headers.js";
import { askQuestion, QUESTIONS } from "./questions.js";
import { MOST_FAILURES, type Reading, type ReadingOptions, readHost } from "./reading.js";

export interface VerifyHostOptions
  extends Omit<ReadingOptions, "onRequests">,
    AskOptions,
    Pick<VerifyOptions, "workers">,
    Pick<VerifyEffects, "onProgress"> {
  /** The release that the host should serve. Without one, the host's own is downloaded. */
  against?: Release | undefined;
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

/** A verified host: the verdict, and the release that it was compared with: a given one, or its own. */
interface VerifiedHost {
  verdict: Verdict;
  release: Pick<Release, "snapshot" | "digest">;
}

/** Verifies a host. @throws UserError if it cannot be reached, has no release or no page 1, or fails repeatedly */
export async function verifyHost(options: VerifyHostOptions): Promise<VerifiedHost> {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const { onProgress } = options;
  const asker = createAsker(options);
  const scratch = await makeScratch("verify");
  const onRequests = (requests: number, total: number) => onProgress?.({ requests, total: total + QUESTIONS.length });
  try {
    let seen = await readOnce(asker, { ...options, baseUrl, onRequests }, scratch);
    for (let restarts = 0; restarts < MOST_RESTARTS && seen.reading.hasMoved; restarts++)
      seen = await readOnce(asker, { ...options, baseUrl, onRequests }, scratch);
    const { reading, findings, release, isWhole } = seen;
    const { served, asked } = reading;
    if (reading.hasMoved)
      findings.add({
        check: "one-snapshot",
        url: served.first.url,
        found: `a different one each of the ${MOST_RESTARTS + 1} times that its pages were read`,
        expected: "the same snapshot in every answer",
      });
    const questions: Row[] = [];
    let failures = 0;
    for (const question of QUESTIONS) {
      const { row, answer, error } = await askQuestion(question, served);
      if (error && ++failures >= MOST_FAILURES) throw error;
      questions.push(row);
      for (const { name, header, expectedIfWrong } of EVERYWHERE) {
        const expected = answer && expectedIfWrong(answer, served);
        if (answer === undefined || expected === undefined) continue;
        const found = `${row.request}: ${answer.headers.get(header) ?? `no ${header}`}`;
        findings.add({ check: name, url: baseUrl, found, expected });
      }
      const { requests } = asker;
      onProgress?.({ requests, total: requests + QUESTIONS.length - questions.length });
    }
    const { words } = release.contract.listing;
    const own = options.against ? [] : await downloadedRows(release, isWhole, options, findings);
    const known = new Set<string>(ANSWER_ROWS.map(({ name }) => name));
    const rows = [...answerRows(reading, findings), ...own.filter(({ name }) => !known.has(name)), ...questions];
    return {
      verdict: { subject: baseUrl, words, asked: { ...asked, requests: asker.requests }, rows },
      release,
    };
  } finally {
    asker.close();
    removeScratch(scratch);
  }
}

/** Downloads the host's release, unless one is given, and reads the host once. `isWhole`: all of the release was downloaded. */
async function readOnce(asker: Asker, options: ReadingOptions & VerifyHostOptions, scratch: string) {
  const { baseUrl, against, sample } = options;
  const findings = new Findings();
  const before = await asker.ask(`${baseUrl}/${SNAPSHOT}`);
  const folder = against ? "" : mkdtempSync(join(scratch, "host-"));
  const release = against ?? (await downloadManifest(asker, baseUrl, before, folder, findings));
  const isWhole = !against && sample === undefined && (await downloadAll(asker, baseUrl, release, options, findings));
  return { reading: await readHost(asker, before, release, options, findings), findings, release, isWhole };
}

/** The rows of the downloaded release. */
async function downloadedRows(
  { folder }: Release,
  isWhole: boolean,
  { sample, workers, signal, onProgress }: VerifyHostOptions,
  findings: Findings,
): Promise<Row[]> {
  if (isWhole) {
    const { rows } = await verifyRelease({ folder, isCopy: true, findings, workers, signal, onProgress });
    return [checkRow(findings, DOWNLOAD_ROW, ""), ...rows];
  }
  const skipped =
    sample === undefined ? "the release could not be downloaded" : "it needs all pages; run this without --sample";
  return [checkRow(findings, DOWNLOAD_ROW, "", { skipped }), ...skippedRows(skipped, findings)];
}

function answerRows({ asked, note, signature }: Reading, findings: Findings): Row[] {
  const pages = asked.pages === asked.of ? count(asked.of, "page") : `${asked.pages} of ${count(asked.of, "page")}`;
  const requests = new Map<string, string>([
    ["files", count(asked.files, "file")],
    [SIGNATURE_ROW.name, signature.cell],
  ]);
  const skipped = new Map<string, string | undefined>([
    ["both-forms", asked.links.length < 2 ? "the host maps no query to a page" : undefined],
    [SIGNATURE_ROW.name, signature.skipped],
  ]);
  for (const coding of ["br", "gzip"] as const)
    if (!asked.codings.includes(coding))
      for (const { name } of codingRows(coding)) skipped.set(name, `no answer is in ${coding}`);
  return ANSWER_ROWS.map(({ name, rule }): Row => {
    const more = { skipped: skipped.get(name), note: name === "same-bytes" ? note : undefined };
    return checkRow(findings, { name, rule }, requests.get(name) ?? pages, more);
  });
}

/** All names that `--allow` accepts, in the order of the report. */
export const CHECK_NAMES: readonly string[] = [
  ...new Set([
    ...ANSWER_ROWS.map(({ name }) => name),
    DOWNLOAD_ROW.name,
    ...DISK_ROWS.map(({ name }) => name),
    ...QUESTIONS.map(({ name }) => name),
  ]),
];
