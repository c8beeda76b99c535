/** Parts of help other than flags: purpose, precedence, examples and exit codes. */
import { Help } from "commander";
import { ExitCode } from "../../core/errors.js";
import { CONFIG_FILE } from "../../core/settings/names.js";
import type { Verb } from "./verb.js";

export const DESCRIPTION =
  "Turns tables of a SQLite file, or a text file, into an immutable, verifiable snapshot of a paginated JSON API, and serves it.";

const PRECEDENCE = `Every option but --config can also be set in the environment or in ${CONFIG_FILE}: \
--page-size 50, ROLLCALL_PAGE_SIZE=50, {"pageSize": 50}. Flags win over variables, variables over the file. \
--no-json, --no-skip-invalid and the like turn off what a variable or the file turns on. \
Paths in the file are relative to its folder.`;

const SETTINGS_HINT = 'Config file, variables, exit codes: see "rollcall --help".';
const VARIABLES_HINT = 'Variables, exit codes: see "rollcall --help".';

const { interrupted, terminated, hungUp } = ExitCode;
const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [ExitCode.done, "done; diff and verify: no differences; servers: stopped by a signal"],
  [ExitCode.refused, "refused, or a host does not answer; diff and verify: differences"],
  [ExitCode.usage, "wrong flag, argument, variable or config; no such file or release; diff and verify: unreadable"],
  [ExitCode.gate, "a limit was exceeded, such as --max-removed"],
  [ExitCode.bug, "a bug in Rollcall"],
  [interrupted, `stopped by Ctrl-C before it was done; ${terminated} by SIGTERM, ${hungUp} by SIGHUP`],
];

const START: Verb["examples"] = [
  ["rollcall init && rollcall build && rollcall serve", "publish and serve the sample users"],
  ["rollcall dev users.sqlite", "preview your own table"],
  ["rollcall build --db users.sqlite --base-url https://directory.example.com", "make a release of it"],
  ["rollcall diff && rollcall verify", "review the release"],
  ["rollcall publish ../site", "copy it to the folder of a static host"],
];

/** Columns for a description beside its term, from which commander wraps it. */
export const NARROWEST_TEXT = 30;

/** The text after the flags in the main help. @param width columns. */
export function describeAll(width: number): string {
  const settings = wrap(PRECEDENCE, width - 2).map((line) => `  ${line}`);
  const help = Object.assign(new Help(), { helpWidth: width, minWidthToWrap: NARROWEST_TEXT });
  const codes = EXIT_CODES.map(([code, text]) => help.formatItem(String(code), String(interrupted).length, text, help));
  return [["Settings:", ...settings].join("\n"), describeExamples(START), ["Exit codes:", ...codes].join("\n")].join(
    "\n\n",
  );
}

/** The text after the flags in the help of a verb. */
export function describeVerb({ isUnconfigured, examples }: Verb): string {
  return [isUnconfigured ? VARIABLES_HINT : SETTINGS_HINT, describeExamples(examples)].join("\n\n");
}

/** A command that is longer than a line is left to the terminal, so that it can be copied. */
function describeExamples(examples: Verb["examples"]): string {
  return ["Examples:", ...examples.flatMap(([command, purpose]) => [`  # ${purpose}`, `  ${command}`])].join("\n");
}

const helper = Object.assign(new Help(), { minWidthToWrap: 1 });

/** Wraps a text to lines of at most `width` columns. Words longer than a line are broken. */
export function wrap(text: string, width: number): string[] {
  const broken = text.replace(new RegExp(`\\S{${width}}(?=\\S)`, "g"), "$& ");
  return helper.boxWrap(broken, width).split("\n");
}
