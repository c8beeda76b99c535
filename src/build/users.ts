/** Candidates in, users out: where the contract is held against what the source has. */
import { type Problem, type User, userSchema } from "../contract/user.js";
import { countWarnings, type WarningCounts } from "../contract/warnings.js";
import type { Candidate } from "../source/candidates.js";
import type { Source } from "../source/open.js";
import { createTurns } from "../workers/turns.js";
import type { OnBuildProgress } from "./options.js";

/** Rows between two reports of progress. */
const REPORT_EVERY = 1000;

/** What reading leaves behind beside the users. */
export interface Tally {
  /** Takes all problems of one invalid user. */
  onInvalid(problems: Problem[]): void;
  onProgress: OnBuildProgress;
  warnings: WarningCounts;
}

/** The valid users of a source in published order, their warnings counted. */
export function* readUsers(source: Source, { onInvalid, onProgress, warnings }: Tally): Generator<User, void> {
  let read = 0;
  for (const candidate of source.candidates()) {
    if (++read % REPORT_EVERY === 0) onProgress({ users: read, total: source.count });
    const { user, problems } = validate(candidate);
    if (problems) onInvalid(problems);
    else {
      countWarnings(user, warnings);
      yield user;
    }
  }
}

/** How many users are valid: a reading of its own, for who must know before the first page. */
export async function countValid(
  source: Source,
  tally: Omit<Tally, "warnings">,
  signal: AbortSignal | undefined,
): Promise<number> {
  const turn = createTurns(REPORT_EVERY, signal);
  let count = 0;
  for (const _ of readUsers(source, { ...tally, warnings: {} })) {
    await turn();
    count++;
  }
  return count;
}

type Validated = { user: User; problems?: undefined } | { user?: undefined; problems: Problem[] };

/** The user that a candidate is, or everything that keeps it from being one. */
export function validate({ id, user, isDuplicate }: Candidate): Validated {
  const checked = userSchema.safeParse(user);
  // The candidate goes on, not the schema's copy: the schema changes nothing, and the candidate's keys are in order.
  if (checked.success && !isDuplicate) return { user: user as User };
  const problems = (checked.error?.issues ?? []).map(({ path, message }) => {
    return { id, path: path.join("."), value: valueAt(user, path), message };
  });
  // Nobody can tell which of them is the true one, so none is valid.
  if (isDuplicate) problems.push({ id, path: "id", value: id, message: "must be unique" });
  return { problems };
}

function valueAt(user: unknown, path: readonly PropertyKey[]): unknown {
  let value = user;
  for (const key of path) value = (value as Record<PropertyKey, unknown>)[key];
  return value;
}
