/** Checks candidates against the contract: candidates in, users and problems out. */
import { type Problem, type User, userSchema } from "../contract/user.js";
import { countWarnings, type WarningCounts } from "../contract/warnings.js";
import type { Candidate } from "../source/candidates.js";
import type { Source } from "../source/open.js";
import type { OnBuildProgress } from "./options.js";

const REPORT_EVERY = 1000;

export interface Tally {
  onInvalid(problems: Problem[]): void;
  onProgress: OnBuildProgress;
  warnings: WarningCounts;
}

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

type Validated = { user: User; problems?: undefined } | { user?: undefined; problems: Problem[] };

export function validate({ id, user, isDuplicate }: Candidate): Validated {
  const checked = userSchema.safeParse(user);
  // The candidate itself is published, not the schema's copy: its keys are in order, and the schema changes nothing.
  if (checked.success && !isDuplicate) return { user: user as User };
  const problems = (checked.error?.issues ?? []).map(({ path, message }) => {
    const value = path.reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], user);
    return { id, path: path.join("."), value, message };
  });
  // Nobody can tell which user of one id is right, so none of them is valid.
  if (isDuplicate) problems.push({ id, path: "id", value: id, message: "must be unique" });
  return { problems };
}
