/** Why users are invalid: one line a problem, then what the refusal means and what to do. */

import type { InvalidUsersError, ProblemReport } from "../../build/problems.js";
import type { Problem } from "../../contract/user.js";
import { count, number } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { showValue, visible } from "../../print/text.js";

/** The first problems, and how many more there are. */
export function describeProblems({ count, first }: ProblemReport, paint: Paint): string {
  const lines = first.map((problem) => describe(problem, paint));
  const rest = count - first.length;
  if (rest > 0) lines.push(`and ${number(rest)} more`);
  return lines.join("\n");
}

/** The last line of a refusal. With `skipInvalid`, a build refuses only where nobody is valid. */
export function describeRefusal(
  { problems, total }: InvalidUsersError,
  { skipInvalid, problems: file }: { skipInvalid: boolean; problems?: string | undefined },
): string {
  const one = problems.users === 1;
  const found = `${number(problems.users)} of ${count(total, "user")} ${one ? "is" : "are"} invalid`;
  const outcome = "nothing was published and current is unchanged";
  const why = skipInvalid
    ? `without them nobody is left to publish, so ${outcome}.`
    : `${outcome}. Mend ${one ? "it, or leave it" : "them, or leave them"} out with --skip-invalid.`;
  return `${found}, with ${count(problems.count, "problem")}: ${why} ${whereAllAre(file)}`;
}

/** A sentence. */
function whereAllAre(file: string | undefined): string {
  return file === undefined ? "--problems FILE writes every problem." : `Every problem is in ${file}.`;
}

function describe({ id, path, value, message }: Problem, paint: Paint): string {
  return `${paint("dim", "user")} ${showId(id)}: ${paint("bold", visible(path))} ${showValue(value)} ${message}`;
}

/** A plain id as it is; any other in quotes, since an empty one or a space would read like a mistake of the line's. */
function showId(id: unknown): string {
  return typeof id === "string" && /^[\w.-]{1,60}$/.test(id) ? id : showValue(id);
}
