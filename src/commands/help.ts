/** The words of help that are no flag's: purpose, examples, precedence, exit codes. */
import { CONFIG_FILE } from "../config/file.js";
import { ExitCode } from "../errors.js";
import type { Verb } from "./verb.js";

export const PURPOSE =
  "Turns a SQLite file of users into an immutable, verifiable snapshot of a paginated JSON API, and serves it.";

export const PRECEDENCE = `Settings:
  Every option of a verb but --config can also stand in the environment or in ${CONFIG_FILE}:
  --page-size 50, ROLLCALL_PAGE_SIZE=50, {"pageSize": 50}. Flags win over variables, variables over
  the file, the file over defaults. --no-json, --no-skip-invalid and the like switch off what a
  variable or the file switched on. Paths in the file are relative to its folder.`;

/** The same in the help of one verb. */
export const SETTINGS_HINT = `Every option but --config can also be a ROLLCALL_* variable, or stand in ${CONFIG_FILE}:
see "rollcall --help".`;

/** The same for a verb that reads no file. */
export const VARIABLES_HINT = 'Every option can also be a ROLLCALL_* variable: see "rollcall --help".';

export const EXIT_CODES = `Exit codes:
  ${ExitCode.done}   done
  ${ExitCode.refused}   refused, or something differs; the message says what to do
  ${ExitCode.usage}   a wrong flag, argument, variable or config file
  ${ExitCode.gate}   a gate was exceeded (--max-removed and the like)
  ${ExitCode.bug}  a bug in Rollcall`;

/** The examples, each below what it does. */
export function describeExamples(examples: Verb["examples"]): string {
  return ["Examples:", ...examples.map(([command, purpose]) => `  # ${purpose}\n  ${command}`)].join("\n");
}
