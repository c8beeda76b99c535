/** Parts of help other than flags: purpose, precedence, examples and exit codes, wrapped to the terminal. */
import { Help } from "commander";
import { ExitCode } from "../../errors.js";
import { CONFIG_FILE } from "../../settings/file.js";
import type { Verb } from "./verb.js";

export const DESCRIPTION =
  "Turns a table of a SQLite file into an immutable, verifiable snapshot of a paginated JSON API, and serves it.";

const PRECEDENCE = `Every option of a verb but --config can also stand in the environment or in ${CONFIG_FILE}: \
--page-size 50, ROLLCALL_PAGE_SIZE=50, {"pageSize": 50}. Flags win over variables, variables over the file, \
the file over defaults. --no-json, --no-skip-invalid and the like switch off what a variable or the file \
switched on. Paths in the file are relative to its folder.`;

const SETTINGS_HINT = `Every option but --config can also be a ROLLCALL_* variable, or stand in ${CONFIG_FILE}: see "rollcall --help", also for exit codes.`;
const VARIABLES_HINT = 'Every option can also be a ROLLCALL_* variable: see "rollcall --help", also for exit codes.';

const { interrupted, terminated, hungUp } = ExitCode;
const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [ExitCode.done, "done; diff and verify: nothing differs, but for what is allowed to; a server: stopped by a signal"],
  [
    ExitCode.refused,
    "refused, or a host does not answer, and the message says what to do; diff and verify: something differs",
  ],
  [
    ExitCode.usage,
    "a wrong flag, argument, variable or config file, or a file or release that is not there; diff and verify: also what cannot be read",
  ],
  [ExitCode.gate, "a gate was exceeded (--max-removed and the like)"],
  [ExitCode.bug, "a bug in Rollcall"],
  [interrupted, `stopped by Ctrl-C before it was done; ${terminated} by SIGTERM, ${hungUp} by SIGHUP`],
];

/** The text after the flags in the main help. @param width columns. */
export function describeAll(verbs: readonly Verb[], width: number): string {
  const settings = ["Settings:", ...wrap(PRECEDENCE, width - 2).map((line) => `  ${line}`)].join("\n");
  const examples = verbs.flatMap(({ examples }) => examples.slice(0, 1));
  return [settings, describeExamples(examples, width), describeCodes(width)].join("\n\n");
}

/** The text after the flags in the help of a verb. */
export function describeVerb({ isUnconfigured, examples }: Verb, width: number): string {
  const hint = wrap(isUnconfigured ? VARIABLES_HINT : SETTINGS_HINT, width).join("\n");
  return [hint, describeExamples(examples, width)].join("\n\n");
}

const helper = Object.assign(new Help(), { minWidthToWrap: 1 });

/** Wraps a text to lines of at most `width` columns. Words longer than a line are broken. */
export function wrap(text: string, width: number): string[] {
  const broken = text.replace(new RegExp(`\\S{${width}}(?=\\S)`, "g"), "$& ");
  return helper.boxWrap(broken, width).split("\n");
}

/** Minimum columns for a description beside its term. */
const NARROW = 30;

/** Formats a term and its description. @param termWidth columns of the longest term. */
export function describeItem(term: string, termWidth: number, text: string, width: number): string {
  const room = width - termWidth - 4;
  if (room < NARROW) return [`  ${term}`, ...wrap(text, width - 6).map((line) => `      ${line}`)].join("\n");
  return `  ${term.padEnd(termWidth)}  ${wrap(text, room).join(`\n${" ".repeat(termWidth + 4)}`)}`;
}

function describeExamples(examples: Verb["examples"], width: number): string {
  const lines = examples.flatMap(([command, purpose]) => [
    ...wrap(purpose, width - 4).map((line) => `  # ${line}`),
    describeCommand(command, width),
  ]);
  return ["Examples:", ...lines].join("\n");
}

/** Formats a command, with `\` at line breaks so that a shell accepts it. */
function describeCommand(command: string, width: number): string {
  if (command.length + 2 <= width) return `  ${command}`;
  return `  ${wrap(command, width - 6).join(" \\\n    ")}`;
}

function describeCodes(width: number): string {
  const termWidth = String(interrupted).length;
  const lines = EXIT_CODES.map(([code, text]) => describeItem(String(code), termWidth, text, width));
  return ["Exit codes:", ...lines].join("\n");
}
