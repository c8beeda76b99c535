/** The changes in the text form: the first ones of each kind, and each changed field as `path: old -> new`. */
import type { AnyRecord } from "../../contract/contract.js";
import type { Change, Diff, FieldChange } from "../../diff/change.js";
import { firstOf } from "../../print/fit.js";
import { number } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { visible } from "../../print/text.js";
import { contractChanges, contractExcerpts, otherKey } from "../contract.js";
import { type Excerpt, excerpts, joined } from "../excerpt.js";
import { CHANGE_KINDS, firstChanges } from "../facts.js";
import { dayOf, factOf, labelOf, type Subject, subjectsOf, timeWord } from "../subject.js";
import { RIGHT_TO_LEFT, writeId, writePath } from "../value.js";

/**
 * For each kind of change: a heading, the first `limit` changes, and how many are not shown.
 * @param more what shows all of them.
 */
export async function* changesText(
  diff: Diff,
  limit: number,
  paint: Paint,
  more = "; --all shows every one",
): AsyncGenerator<string> {
  const subjects = subjectsOf(diff);
  for (const kind of CHANGE_KINDS) {
    const total = diff[kind];
    if (total === 0) continue;
    yield `\n${paint("bold", `${kind} (${number(total)})`)}\n`;
    for await (const change of firstChanges(diff, kind, limit)) yield changeText(change, subjects[kind], paint);
    if (total > limit) yield `  ... ${number(total - limit)} not shown${more}\n`;
  }
}

/** More differences make another contract, which nobody reads here. */
const MOST_LINES = 100;

/** What changed in the contract, a line each; nothing where it is the same. */
export function contractText(diff: Diff, paint: Paint): string {
  const changes = contractChanges(diff);
  if (diff.contract === undefined) return "";
  const lines = changes.slice(0, MOST_LINES).map(({ kind, before, name, after, values }) => {
    const [color, sign] = SIGNS[kind];
    const what = [before, name, after].filter((part) => part !== undefined).join(" ");
    const head = `  ${paint(color, sign)} ${visible(what)}`;
    return values ? becomes(`${head}: `, contractExcerpts(values), paint) : `${head}\n`;
  });
  const rest = changes.length - MOST_LINES;
  if (rest > 0) lines.push(`  ... ${number(rest)} more\n`);
  const key = otherKey(diff, visible);
  return [`\n${paint("bold", "contract changed")}\n`, ...lines, ...(key ? [`  ${key}\n`] : [])].join("");
}

/** Keys may be texts of any length. */
const LONGEST_ID = 200;

const SIGNS = { added: ["green", "+"], removed: ["red", "-"], changed: ["yellow", "~"] } as const;

function changeText(change: Change, subject: Subject, paint: Paint): string {
  const { kind, id } = change;
  const [color, sign] = SIGNS[kind];
  const head = `  ${paint(color, sign)} ${firstOf(writeId(id), LONGEST_ID, visible)}`;
  if (kind === "changed") {
    const fields = change.fields.map((field) => fieldText(field, subject, paint)).join("");
    return `${head}${shownName(change.new, subject, paint)}\n${fields}`;
  }
  const { record } = change;
  return `${[head, ...facts(record, subject)].join("  ")}${shownName(record, subject, paint)}\n`;
}

/** `joined 2026-11-20`, `PENDING`; with several facets, each has its field before it. */
function facts(record: AnyRecord, subject: Subject): string[] {
  const { time, facets } = subject;
  const values = facets.map((field) => {
    const value = factOf(record, field, subject);
    return visible(facets.length === 1 ? value : `${writePath(field.path)} ${value}`);
  });
  return time === undefined ? values : [visible(`${writePath(timeWord(time))} ${dayOf(record, time)}`), ...values];
}

/** The name comes last in its line, where its width or direction cannot move other text. */
function shownName(record: AnyRecord, subject: Subject, paint: Paint): string {
  const name = labelOf(record, subject);
  return name === "" ? "" : `  ${paint("dim", visible(JSON.stringify(name)))}`;
}

const LONGEST_LINE = 110;

function fieldText(field: FieldChange, subject: Subject, paint: Paint): string {
  return becomes(`      ${visible(writePath(field.path))}: `, excerpts(field, subject), paint);
}

/** Both values on one line; if that is too long or misleading, on two lines. @param name what stands before them. */
function becomes(name: string, [before, after]: readonly [Excerpt, Excerpt], paint: Paint): string {
  const plain = `${name}${joined(before)} -> ${joined(after)}`;
  const isApart = plain.length > LONGEST_LINE || RIGHT_TO_LEFT.test(plain);
  const arrow = isApart ? `\n${"-> ".padStart(name.length)}` : " -> ";
  return `${name}${painted(before, "red", paint)}${arrow}${painted(after, "green", paint)}\n`;
}

function painted({ before, middle, after }: Excerpt, color: "red" | "green", paint: Paint): string {
  return before + (middle === "" ? "" : paint(color, middle)) + after;
}
