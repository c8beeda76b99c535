/** The changes in the text form: the first ones of each kind, and each changed field as `path: old -> new`. */
import type { User } from "../../contract/user.js";
import type { Change, Diff, FieldChange } from "../../diff/change.js";
import { number } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { visible } from "../../print/text.js";
import { type Excerpt, excerpts, joined } from "../excerpt.js";
import { CHANGE_KINDS, firstChanges } from "../facts.js";
import { nameOf } from "../value.js";

/** For each kind of change: a heading, the first `limit` changes, and how many are not shown. */
export async function* changesText(diff: Diff, limit: number, paint: Paint): AsyncGenerator<string> {
  for (const kind of CHANGE_KINDS) {
    const total = diff[kind];
    if (total === 0) continue;
    yield `\n${paint("bold", `${kind} (${number(total)})`)}\n`;
    for await (const change of firstChanges(diff, kind, limit)) yield changeText(change, paint);
    if (total > limit) yield `  ... ${number(total - limit)} not shown; --all shows every one\n`;
  }
}

const SIGNS = { added: ["green", "+"], removed: ["red", "-"], changed: ["yellow", "~"] } as const;

function changeText(change: Change, paint: Paint): string {
  const { kind, id } = change;
  const [color, sign] = SIGNS[kind];
  const head = `  ${paint(color, sign)} ${visible(String(id))}`;
  if (kind === "changed") {
    const fields = change.fields.map((field) => fieldText(field, paint)).join("");
    return `${head}${shownName(change.new as User, paint)}\n${fields}`;
  }
  const { date_joined: joined, kyc_status: status } = change.record as User;
  return `${head}  joined ${joined.slice(0, 10)}  ${status}${shownName(change.record as User, paint)}\n`;
}

/** The name comes last in its line, where its width or direction cannot move other text. */
function shownName(user: User, paint: Paint): string {
  const name = nameOf(user);
  return name === "" ? "" : `  ${paint("dim", visible(JSON.stringify(name)))}`;
}

const LONGEST_LINE = 110;
/** Letters that are written from right to left: on one line, they would reverse the order of old and new value. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Both values on one line; if that is too long or misleading, on two lines. */
function fieldText({ path, old, new: now }: FieldChange, paint: Paint): string {
  const [before, after] = excerpts(path, old, now);
  const name = `      ${visible(path)}: `;
  const plain = `${name}${joined(before)} -> ${joined(after)}`;
  const isApart = plain.length > LONGEST_LINE || RIGHT_TO_LEFT.test(plain);
  const arrow = isApart ? `\n${"-> ".padStart(name.length)}` : " -> ";
  return `${name}${painted(before, "red", paint)}${arrow}${painted(after, "green", paint)}\n`;
}

function painted({ before, middle, after }: Excerpt, color: "red" | "green", paint: Paint): string {
  return before + (middle === "" ? "" : paint(color, middle)) + after;
}
