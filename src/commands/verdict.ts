/** What a verification looks like to people: a row for each check, then what was found, then what it comes to. */
import { count, duration, number } from "../print/numbers.js";
import { align, type Paint } from "../print/style.js";
import { table } from "../print/table.js";
import { shorten, visible } from "../print/text.js";
import { describeFinding } from "../verify/junit.js";
import type { Row, Verdict } from "../verify/verdict.js";

/** How many findings of a row are shown. */
const SHOWN = 5;

const LOOKS = { holds: "green", differs: "red", allowed: "yellow", skipped: "dim" } as const;

export function describeVerdict({ subject, rows }: Verdict, milliseconds: number, paint: Paint): string {
  const asksHost = rows.some(({ came }) => came !== undefined);
  const titles = ["", "check", "asked", ...(asksHost ? ["came"] : []), "what must hold"];
  const columns = titles.map((title) => [paint("dim", title), "left"] as const);
  const lines = rows.map((row) => [
    paint(LOOKS[row.outcome], row.outcome),
    paint("bold", row.name),
    brief(row.asked),
    ...(asksHost ? [brief(row.came ?? foundIn(row))] : []),
    visible(row.outcome === "skipped" ? `(${row.note})` : row.says),
  ]);
  const details = rows.filter(({ outcome, came }) => outcome === "differs" && came === undefined);
  return [
    table(columns, lines),
    ...details.map((row) => describeRow(row, paint)),
    summary(subject, rows, milliseconds, paint),
  ].join("\n\n");
}

/** A cell: digests by their beginnings, and no more than a line can bear. */
function brief(text: string): string {
  return shorten(visible(text.replace(/[0-9a-f]{64}/g, (digest) => `${digest.slice(0, 8)}…`)), WIDEST);
}

const WIDEST = 70;

function foundIn({ count: found, outcome }: Row): string {
  return outcome === "skipped" ? "" : found === 0 ? "no finding" : count(found, "finding");
}

function describeRow({ name, count: found, findings, note }: Row, paint: Paint): string {
  const head = `${paint("bold", name)}: ${count(found, "finding")}${note === undefined ? "" : `: ${visible(note)}`}`;
  const shown = findings.slice(0, SHOWN).map((finding) => `  ${visible(describeFinding(finding))}`);
  const rest = found - shown.length;
  return [head, ...shown, ...(rest > 0 ? [`  and ${number(rest)} more`] : [])].join("\n");
}

function summary(subject: string, rows: readonly Row[], milliseconds: number, paint: Paint): string {
  const of = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome);
  const counts = (["holds", "differs", "allowed", "skipped"] as const)
    .map((outcome) => [of(outcome).length, outcome] as const)
    .filter(([number]) => number > 0)
    .map(([number, outcome]) => `${number} ${outcome === "holds" && number !== 1 ? "hold" : outcome}`);
  const isBad = of("differs").length > 0;
  const value = isBad
    ? `differs: ${of("differs")
        .map(({ name }) => name)
        .join(", ")}`
    : "true";
  return align(
    [
      {
        verb: "verify",
        value,
        detail: `${subject}: ${counts.join(", ")}, in ${duration(milliseconds)}`,
        loud: isBad,
      },
    ],
    paint,
  );
}
