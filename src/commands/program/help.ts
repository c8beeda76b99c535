/** Parts of help other than flags: purpose, precedence, examples and exit codes, wrapped to the terminal. */
import { Help } from "commander";
import { ExitCode } from "../../errors.js";
import { CONFIG_FILE } from "../../settings/file.js";
import type { Verb } from "./verb.js";

export const DESCRIPTION =
  "Turns a table of a SQLite file into an immutable, verifiable snapshot of a paginated JSON API, and serves it.";

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

/** The text after the flags in the main help. @param width columns. */
export function describeAll(width: number): string {
  const settings = ["Settings:", ...wrap(PRECEDENCE, width - 2).map((line) => `  ${line}`)].join("\n");
  return [settings, describeExamples(START, width), describeCodes(width)].join("\n\n");
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
