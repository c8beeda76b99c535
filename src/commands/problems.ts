/** Why users are invalid, one line a problem; the refusal's own message comes after them. */

import type { ProblemReport } from "../build/problems.js";
import type { Problem } from "../contract/user.js";
import { number } from "./numbers.js";
import type { Paint } from "./style.js";
import { shorten, showValue, visible } from "./text.js";

/** The first problems, how many more there are, and where all of them can be read (`file`, when it was asked for). */
export function describeProblems(
  { count, first }: ProblemReport,
  file: string | undefined,
  paint: Paint,
): string {
  const lines = first.map((problem) => describe(problem, paint));
  const rest = count - first.length;
  const all = file === undefined ? "--problems FILE writes them all" : `all are in ${visible(file)}`;
  if (rest > 0) lines.push(`and ${number(rest)} more; ${all}`);
  return lines.join("\n");
}

function describe({ id, path, value, message }: Problem, paint: Paint): string {
  const user = typeof id === "string" ? visible(shorten(id, 60)) : showValue(id);
  return `${paint("dim", "user")} ${user}: ${paint("bold", visible(path))} ${showValue(value)} ${message}`;
}
