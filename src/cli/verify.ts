/** `rollcall verify`: verifies a release on disk or a deployed host, and reports what differs. */
import { isHttpUrl } from "../core/contract/links.js";
import { ExitCode } from "../core/errors.js";
import { bothEndsOf } from "../core/print/fit.js";
import type { Words } from "../core/print/numbers.js";
import { count, duration, number } from "../core/print/numbers.js";
import { align, type Paint, painter } from "../core/print/style.js";
import { table } from "../core/print/table.js";
import { shorten, visible } from "../core/print/text.js";
import { optionsOf } from "../core/settings/settings.js";
import type { VerifyEffects } from "../verify/options.js";
import { type Asked, type Finding, passed, type Row, type Verdict } from "../verify/verdict.js";
import { verify as prove } from "../verify/verify.js";
import { refusalsAsUsageErrors } from "./program/failure.js";
import { wrap } from "./program/help.js";
import { withProgress } from "./program/progress.js";
import { type Invocation, type Io, print, printResult } from "./program/verb.js";

/** Runs `rollcall verify`. @returns its exit code. @throws UserError */
export async function runVerify({ settings, arguments: { what } }: Invocation, io: Io): Promise<ExitCode> {
  const began = io.now();
  const options = { what, ...optionsOf("verify", settings) };
  const result = await refusalsAsUsageErrors(() =>
    withProgress(io, isHttpUrl(what ?? "") ? "request" : "record", (bar, signal) => {
      const onProgress: VerifyEffects["onProgress"] = (done) => {
        if ("records" in done) bar?.update(done.records, done.total, done.words);
        else if ("files" in done) bar?.update(done.files, done.total, FILES);
        else bar?.update(done.requests, done.total);
      };
      return prove(options, { cwd: io.cwd, signal, onProgress });
    }),
  );
  const { passed: isPassed, ...verdict } = result;
  const milliseconds = io.now() - began;
  const { columns: width = UNKNOWN_WIDTH } = io.stdout;
  if (settings.json) printResult(io, result, began);
  else {
    const paint = painter(io.stdout, io.env);
    print(io, describeVerdict(verdict, { milliseconds, width, paint }));
    if (!isPassed && verdict.asked && settings.adapt === undefined) await printLimitations(verdict, io, paint);
  }
  return isPassed ? ExitCode.done : ExitCode.refused;
}

/** Names the hosts that cannot do better than what was found, if there are any. */
async function printLimitations(verdict: Verdict, io: Io, paint: Paint): Promise<void> {
  const { hostsLimitedIn } = await import("../host/hosts.js");
  const hosts = hostsLimitedIn(differingChecks(verdict));
  if (hosts.length === 0) return;
  const value = `${hosts.join(", ")} cannot do better; if this host is one of them, pass --adapt with its name`;
  print(io, align([{ verb: "note", value, loud: true }], paint));
}

function differingChecks({ rows, listings = {} }: Pick<Verdict, "rows" | "listings">): string[] {
  const own = rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
  return [...own, ...Object.values(listings).flatMap(differingChecks)];
}

/** Counted after the records. */
const FILES: Words = ["lookup file", "lookup files"];

/** Columns if the output is not a terminal, such as the log of a CI job. */
const UNKNOWN_WIDTH = 120;

/** Maximum number of findings shown for a row. */
const MAX_FINDINGS = 5;

const COLORS = { passed: "green", differs: "red", allowed: "yellow", noted: "yellow", skipped: "dim" } as const;

/** Describes the result: tables, then rows that differ in full, then the summary. @param width columns of the table. */
function describeVerdict(
  verdict: Verdict,
  { milliseconds, width, paint }: { milliseconds: number; width: number; paint: Paint },
): string {
  const { subject, asked, rows, listings = {} } = verdict;
  const effort = `in ${duration(milliseconds)}${asked ? describeAsked(asked) : ""}`;
  const all = Object.values(listings);
  // Of several listings, only those that differ are shown in full.
  const differing = all.filter((listing) => !passed(listing));
  const lines = all.map((listing) => summary(listing.subject, listing.rows, [], "", paint));
  const names = differing.map((listing) => listing.subject);
  return [
    ...differing.flatMap((listing) => [
      paint("bold", `==> ${visible(listing.subject)} <==`),
      describeRows(listing, width, paint),
    ]),
    ...(differing.length > 0 ? [paint("bold", `==> ${visible(subject)} <==`)] : []),
    describeRows(verdict, width, paint),
    [...lines, summary(subject, rows, names, effort, paint)].join("\n"),
  ].join("\n\n");
}

/** Describes the rows of a release or a listing. */
function describeRows({ words: [one], rows }: Verdict, width: number, paint: Paint): string {
  const probes = rows.filter(({ received }) => received !== undefined);
  const others = rows.filter((row) => !probes.includes(row));
  return [
    // Two tables, since requests and responses are long.
    ...[others, probes].flatMap((some) => (some.length > 0 ? [tableOf(some, probes.length > 0, width, paint)] : [])),
    ...rows.filter(({ outcome }) => ["differs", "noted"].includes(outcome)).map((row) => describeRow(row, one, paint)),
  ].join("\n\n");
}

function tableOf(rows: readonly Row[], isHost: boolean, width: number, paint: Paint): string {
  const titles = ["", "check", ...(isHost ? ["request", "received"] : ["checked"]), "rule"];
  const requests = rows.map((row) => brief(row.request));
  const received = rows.map((row) => brief(row.received ?? foundIn(row)));
  const names = widest(rows.map(({ name }) => name));
  const free = Math.max(width - "differs".length - names - GAP * titles.length + GAP, NARROWEST);
  const forRequests = Math.min(widest(requests), Math.floor(free * (isHost ? 0.38 : 0.5)));
  const forReceived = isHost ? Math.min(widest(received), Math.floor(free * 0.28)) : 0;
  return table(
    titles.map((title) => [paint("dim", title), "left"] as const),
    rows.map((row, at) => [
      paint(COLORS[row.outcome], row.outcome),
      paint("bold", row.name),
      // Keep the end of the request, which differs most.
      shortenInside(requests[at] ?? "", forRequests),
      ...(isHost ? [shorten(received[at] ?? "", forReceived)] : []),
      wrap(visible(ruleOrNote(row)), free - forRequests - forReceived).join("\n"),
    ]),
  );
}

/** The last cell: the rule, or the note of a skipped or allowed check. Other notes follow below the table. */
function ruleOrNote({ outcome, rule, note }: Row): string {
  return note !== undefined && ["skipped", "allowed"].includes(outcome) ? `(${note})` : rule;
}

/** Columns between two cells. */
const GAP = 2;
/** Minimum columns for all cells but the first two. */
const NARROWEST = 40;

function shortenInside(text: string, max: number): string {
  return text.length <= max ? text : bothEndsOf(text, max - 1, (part) => part);
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

/** Shortens a cell: digests to eight digits, and URLs to what follows the listing's path. */
function brief(text: string): string {
  return visible(
    text
      .replace(/[0-9a-f]{64}/g, (digest) => `${digest.slice(0, 8)}…`)
      .replace(/^([A-Z]+) \/[\w.~/-]+\/(?=\?|pages\/)/, "$1 "),
  );
}

function foundIn({ count: found, outcome }: Row): string {
  return outcome === "skipped" || outcome === "noted" ? "" : found === 0 ? "no finding" : count(found, "finding");
}

function describeRow(row: Row, one: string, paint: Paint): string {
  const { name, outcome, request, received, rule, count: found, findings, note } = row;
  if (outcome === "noted") return `${paint("bold", name)}: ${visible(note ?? "")}`;
  if (received !== undefined)
    return `${paint("bold", name)}: ${visible(request)}\n  received  ${visible(received)}\n  rule      ${visible(rule)}`;
  const head = `${paint("bold", name)}: ${count(found, "finding")}${note === undefined ? "" : `: ${visible(note)}`}`;
  const shown = findings.slice(0, MAX_FINDINGS).map((finding) => `  ${visible(describeFinding(finding, one))}`);
  const rest = found - shown.length;
  return [head, ...shown, ...(rest > 0 ? [`  and ${number(rest)} more`] : [])].join("\n");
}

/** A finding in words: `page 3, station EGLL: found opened "1946"; it must be a real date`. @param one the word for one record */
function describeFinding({ path, url, page, id, found, expected }: Finding, one: string): string {
  const where = [
    path ?? (page === undefined ? url : undefined),
    page !== undefined && path === undefined && `page ${page}`,
    id && `${one} ${id}`,
  ];
  const place = where.filter(Boolean).join(", ");
  // Messages of the schema are phrased as "must be ...".
  const rule = expected.startsWith("must ") ? `it ${expected}` : `expected ${expected}`;
  return `${place === "" ? "" : `${place}: `}found ${found}; ${rule}`;
}

/** `, by 108 requests for 3 of 21 pages, a sample` */
function describeAsked({ pages, of, requests }: Asked): string {
  return `, by ${count(requests, "request")}${pages < of ? ` for ${number(pages)} of ${count(of, "page")}, a sample` : ""}`;
}

/** @param listings the names of those that differ. @param effort the time and the requests, if they are said */
function summary(
  subject: string,
  rows: readonly Row[],
  listings: readonly string[],
  effort: string,
  paint: Paint,
): string {
  const counts = Object.keys(COLORS).flatMap((outcome) => {
    const found = rows.filter((row) => row.outcome === outcome).length;
    return found === 0 ? [] : [`${found} ${outcome === "differs" && found > 1 ? "differ" : outcome}`];
  });
  const differing = [...differingChecks({ rows }), ...listings];
  const loud = differing.length > 0;
  const value = loud ? `differs: ${differing.join(", ")}` : "passed";
  const detail = `${subject}: ${[...counts, ...(effort === "" ? [] : [effort])].join(", ")}`;
  return align([{ verb: "verify", value, detail, loud }], paint);
}
