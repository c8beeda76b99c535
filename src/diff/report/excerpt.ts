/** Excerpts of two values for comparison: short ones in full, long ones cut to the difference and some text around it. */
import type { FieldChange } from "../../core/compare/change.js";
import { visible } from "../../core/print/text.js";
import { differenceOf, type Excerpt, excerptsAround, WIDTH, type Written } from "./difference.js";
import { type ContractChange, type Wording, writeValue } from "./model.js";

/** The excerpts of both values of a field. An ellipsis marks omitted text. */
export function excerpts(
  { path, old, new: now }: FieldChange,
  { write }: Pick<Wording, "write">,
): readonly [Excerpt, Excerpt] {
  const left = write(path, old);
  const right = write(path, now);
  const difference = differenceOf(left, right);
  if (!difference.isSubtle && isShortAndBare(left) && isShortAndBare(right)) return [whole(left), whole(right)];
  return excerptsAround(left, right, difference);
}

/** The excerpts of both values of a contract's keyword, as JSON; `nothing` if a contract does not have it. */
export function contractExcerpts(values: NonNullable<ContractChange["values"]>): readonly [Excerpt, Excerpt] {
  return excerpts({ path: "", ...values }, { write: (_path, value) => writeValue(value, true) });
}

/** The text of an excerpt. */
export function joined({ before, middle, after }: Excerpt): string {
  return before + middle + after;
}

function isShortAndBare({ text, quoted }: Written): boolean {
  return !quoted && text.length <= WIDTH;
}

function whole({ text }: Written): Excerpt {
  return { before: "", middle: visible(text), after: "" };
}
