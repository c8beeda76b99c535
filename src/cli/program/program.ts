/** The command line: verbs, flags from the table of settings, and help. It loads what only a verb needs when one runs. */

import type { CommanderError } from "commander";
import { Command, Option } from "commander";
import { ExitCode, UserError, usageError } from "../../core/errors.js";
import { packageVersion } from "../../core/package.js";
import type { Output } from "../../core/print/style.js";
import { shellWord } from "../../core/print/text.js";
import { at, isList, type VerbName } from "../../core/settings/kinds.js";
import { CONFIG_FILE, CONFIG_FLAG, flagOf } from "../../core/settings/names.js";
import { keysOf, SETTING_KEYS, type SettingKey, settingOf } from "../../core/settings/settings.js";
import { DESCRIPTION, describeAll, describeVerb, NARROWEST_TEXT } from "./help.js";
import type { Io, Verb } from "./verb.js";
import { VERBS } from "./verbs.js";

/** Parses the command line and runs its verb. @throws UserError, CommanderError (also for help and version), or a bug. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.done;
  const program = new Command("rollcall")
    .description(DESCRIPTION)
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [verb]", "Print the help of a verb")
    // Commander prints help itself. Its errors are thrown, and `reportFailure` prints them.
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => command.name(), minWidthToWrap: NARROWEST_TEXT })
    .exitOverride((error) => refuseUsage("rollcall", error, argv.slice(0, 1)))
    .usage("<verb> [options]")
    .addHelpText("after", ({ error }) => `\n${describeAll(widthOf(error ? io.stderr : io.stdout))}`);
  const done = (code: ExitCode) => {
    exitCode = code;
  };
  const all = Object.entries(VERBS) as [VerbName, Verb][];
  const named = all.filter(([name]) => name === argv[0]);
  // Making the flags of all verbs takes tens of milliseconds, so a run of one verb makes only its own.
  for (const [name, verb] of named.length > 0 ? named : all) addVerb(program, name, verb, io, done);
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (error instanceof Misuse) await refuseSourceFile(error.words, io.cwd);
    throw error;
  }
  return exitCode;
}

function addVerb(program: Command, name: VerbName, verb: Verb, io: Io, done: (code: ExitCode) => void): void {
  const { arguments: positional = {} } = verb;
  const command: Command = program
    .command(name)
    .summary(verb.summary)
    .description(verb.details === undefined ? verb.summary : `${verb.summary}. ${verb.details}`)
    .addHelpText("after", `\n${describeVerb(verb)}`)
    .exitOverride((error) => {
      const example = verb.examples[0]?.[0];
      if (error.code === "commander.missingArgument")
        throw usageError(`${error.message.replace(/^error: /, "")}, as in "${example}".`);
      refuseUsage(`rollcall ${name}`, error, command.args);
    });
  for (const [term, help] of Object.entries(positional)) command.argument(term, help);
  const own = SETTING_KEYS.filter((key) => settingOf(key).verbs.includes(name));
  for (const key of own) addFlag(command, key);
  command.optionsGroup("Run:").addHelpOption(new Option("-h, --help").hideHelp());
  const when = verb.isUnconfigured ? "with --update, " : "";
  command.option(`${CONFIG_FLAG} <file>`, `${when}settings to read instead of ${CONFIG_FILE}`);

  command.action(async () => {
    const { config, ...typed } = command.opts<Record<string, unknown> & { config?: string }>();
    const values = own.map((key) => [key, typed[new Option(flagOf(key)).attributeName()]] as const);
    const flags = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    const named: Record<string, string | undefined> = Object.fromEntries(
      command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]),
    );
    // `diff` also compares sources, `dev` builds from one, and a mirror is a SQLite file.
    if (!["diff", "dev", "mirror"].includes(name)) await refuseSourceFile(command.args, io.cwd);
    for (const [at, argument] of command.registeredArguments.entries()) {
      const key = argument.name();
      if (!["dist", "db"].includes(key) || named[key] === undefined) continue;
      if (flags[key] !== undefined)
        throw usageError(`${key} is given twice: ${flags[key]} and ${named[key]}; remove one.`);
      flags[key] = argument.variadic ? onePathOrAll(command.args.slice(at)) : named[key];
    }
    const { resolveSettings } = await import("../../core/settings/resolve.js");
    const reload = () =>
      resolveSettings({
        flags,
        config: verb.isUnconfigured ? null : config,
        env: io.env,
        cwd: io.cwd,
        keys: keysOf(name),
      });
    const given = {
      settings: await reload(),
      reload,
      config: at(io.cwd, config ?? CONFIG_FILE),
      typedConfig: config,
      arguments: named,
      positional: command.args,
    };
    const runVerb = await verb.load();
    done(await runVerb(given, io));
  });
}

function addFlag(command: Command, key: SettingKey): void {
  const { kind, placeholder, help, group, default: value } = settingOf(key);
  const flag = flagOf(key);
  const note = value === undefined || typeof value === "boolean" ? "" : ` (default: ${value})`;
  const option = new Option(placeholder ? `${flag} ${placeholder}` : flag, help + note).helpGroup(`${group}:`);
  if (kind === "input") {
    option.variadic = true;
    option.argParser((path, before: string | readonly string[] = []) => onePathOrAll([before, path].flat()));
  }
  // Without a value, the parser gets this one.
  if (kind === "references") option.preset("true");
  // A list may also be given by several flags.
  if (isList(kind)) option.argParser((text, before) => (before === undefined ? text : `${before},${text}`));
  command.addOption(option);
  // Turns off what a variable or the config file turns on.
  if (kind === "boolean") command.addOption(new Option(flag.replace("--", "--no-")).hideHelp());
}

/** One path as a text, several as a list. */
function onePathOrAll(paths: readonly string[]): string | undefined | readonly string[] {
  return paths.length > 1 ? paths : paths[0];
}

/** Columns of help: if the output is not a terminal, minimum, and maximum. */
const UNKNOWN_WIDTH = 100;
const NARROWEST = 40;
const WIDEST = 120;

function widthOf({ columns = UNKNOWN_WIDTH }: Output): number {
  return Math.min(Math.max(columns, NARROWEST), WIDEST);
}

/** A usage error that commander has found. */
class Misuse extends UserError {
  constructor(
    message: string,
    /** The arguments, one of which may be the mistake. */
    readonly words: readonly string[],
  ) {
    super(message, { exitCode: ExitCode.usage });
  }
}

/** Turns a commander error into a usage error of one line that names the help. Rethrows help and version. */
function refuseUsage(command: string, error: CommanderError, words: readonly string[]): never {
  if (error.exitCode === 0 || error.code === "commander.help") throw error;
  const line = error.message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replace(/\.$/, "");
  throw new Misuse(`${line}; see "${command} --help".`, words);
}

/** Refuses a file of records where a verb, a release or nothing is expected. @throws UserError (usage) */
async function refuseSourceFile(given: readonly string[], cwd: string): Promise<void> {
  const { isSourceFile } = await import("../../diff/sides/source-file.js");
  const file = given.find((name) => isSourceFile(at(cwd, name)));
  if (file === undefined) return;
  const shown = shellWord(file);
  throw usageError(
    `${file} is a file of records. To see it: "rollcall dev ${shown}". To publish it: "rollcall init --from ${shown}", then "rollcall build".`,
  );
}
