/** The command line: verbs, flags from the table of settings, and help. */
import { readFileSync, statSync } from "node:fs";
import type { CommanderError } from "commander";
import { Command, Option } from "commander";
import { isHttpUrl } from "../../contract/links.js";
import { ExitCode, usageError } from "../../errors.js";
import { suggest } from "../../print/near.js";
import type { Output } from "../../print/style.js";
import { shellWord } from "../../print/text.js";
import { CONFIG_FILE } from "../../settings/file.js";
import { at, type VerbName } from "../../settings/kinds.js";
import { CONFIG_FLAG, flagOf } from "../../settings/names.js";
import { resolveSettings } from "../../settings/resolve.js";
import { keysOf, SETTING_KEYS, type SettingKey, settingOf } from "../../settings/settings.js";
import { isSourceFile } from "../../sides/source-file.js";
import { DESCRIPTION, describeAll, describeItem, describeVerb } from "./help.js";
import type { Io, Verb } from "./verb.js";
import { VERBS } from "./verbs.js";

/** Parses the command line and runs its verb. @throws UserError, CommanderError (also for help and version), or a bug. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.done;
  const program = new Command("rollcall")
    .description(DESCRIPTION)
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
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
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      formatItem: (term, termWidth, description, helper) =>
        describeItem(term, termWidth, description, helper.helpWidth ?? UNKNOWN_WIDTH),
      minWidthToWrap: NARROWEST,
    })
    .exitOverride(
      refuseUsage("rollcall", ({ code }) => {
        const [word = ""] = argv;
        if (code !== "commander.unknownCommand" || !isSourceFile(at(io.cwd, word))) return undefined;
        const file = shellWord(word);
        return `${word} is a file of records, not a verb. To see it: "rollcall dev ${file}". To write a contract for it: "rollcall init --from ${file}".`;
      }),
    )
    .usage("<verb> [options]")
    .addHelpText("after", ({ error }) => `\n${describeAll(widthOf(error ? io.stderr : io.stdout))}`);
  const done = (code: ExitCode) => {
    exitCode = code;
  };
  const all = Object.entries(VERBS) as [VerbName, Verb][];
  const named = all.filter(([name]) => name === argv[0]);
  const isVersion = argv[0] === "version" || argv[0] === "-v";
  // Making the flags of all verbs takes tens of milliseconds, so a run of one verb makes only its own.
  for (const [name, verb] of named.length > 0 ? named : all) addVerb(program, name, verb, io, done);
  addHelp(program);
  await program.parseAsync(isVersion ? ["--version"] : argv, { from: "user" });
  return exitCode;
}

function addVerb(program: Command, name: VerbName, verb: Verb, io: Io, done: (code: ExitCode) => void): void {
  const { arguments: positional = {} } = verb;
  const command: Command = program
    .command(name)
    .summary(verb.summary)
    .description(verb.details === undefined ? verb.summary : `${verb.summary}. ${verb.details}`)
    .addHelpText("after", ({ error }) => `\n${describeVerb(verb, widthOf(error ? io.stderr : io.stdout))}`)
    .exitOverride(refuseUsage(`rollcall ${name}`, (error) => explainMistake(error, name, verb, command, io.cwd)))
    .aliases(verb.aliases ?? []);
  for (const [term, help] of Object.entries(positional)) command.argument(term, help);
  const own = SETTING_KEYS.filter((key) => settingOf(key).verbs.includes(name));
  for (const key of own) addFlag(command, key);
  if (own.includes("dist")) command.addOption(new Option("--out <folder>", "another name of --dist").hideHelp());
  command.optionsGroup("Run:").addHelpOption(new Option("-h, --help").hideHelp());
  if (!verb.isUnconfigured) command.option(`${CONFIG_FLAG} <file>`, `settings to read instead of ${CONFIG_FILE}`);

  command.action(async () => {
    const { config, out, ...typed } = command.opts<Record<string, unknown> & { config?: string; out?: string }>();
    const values = own.map((key) => [key, typed[new Option(flagOf(key)).attributeName()]] as const);
    const flags = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    const words: Record<string, string | undefined> = Object.fromEntries(
      command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]),
    );
    refuseMisplaced(name, words, io.cwd);
    const { dist, db, ...others } = words;
    const places = [flags["dist"], out, dist].filter((folder) => folder !== undefined);
    if (places.length > 1)
      throw usageError(`The folder of the releases is given more than once: ${places.join(", ")}; remove the others.`);
    Object.assign(flags, places.length > 0 && { dist: places[0] }, db !== undefined && { db });
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
      arguments: others,
      words: command.args,
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
  // A list may also be given by several flags.
  if (kind === "list" || kind === "keys")
    option.argParser((text, before) => (before === undefined ? text : `${before},${text}`));
  command.addOption(option);
  if (kind !== "boolean") return;
  const off = new Option(flag.replace("--", "--no-"), help).helpGroup(`${group}:`);
  // Help lists only the flag that changes the default.
  (value === true ? option : off).hideHelp();
  command.addOption(off);
}

/** Adds `rollcall help VERB`. For an unknown verb, commander's own `help` would print the whole help without an error. */
function addHelp(program: Command): void {
  program
    .command("help")
    .description("Print the help of a verb")
    .argument("[verb]")
    .exitOverride(refuseUsage("rollcall"))
    .action((name: string | undefined) => {
      if (name === undefined) program.help();
      const command = program.commands.find((each) => each.name() === name || each.aliases().includes(name));
      if (command) command.help();
      throw usageError(`unknown command '${name}'; ${suggest(name, Object.keys(VERBS))}`);
    });
}

/** Columns of help: if the output is not a terminal, minimum, and maximum. */
const UNKNOWN_WIDTH = 100;
const NARROWEST = 40;
const WIDEST = 120;

function widthOf({ columns = UNKNOWN_WIDTH }: Output): number {
  return Math.min(Math.max(columns, NARROWEST), WIDEST);
}

function version(): string {
  return JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")).version;
}

/** Turns a commander error into a usage error of one line that names the help. Rethrows help and version. */
function refuseUsage(command: string, explain: (error: CommanderError) => string | undefined = () => undefined) {
  return (error: CommanderError) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    const line = error.message
      .replace(/^error: /, "")
      .replaceAll("\n", " ")
      .replace(/\.$/, "");
    throw usageError(explain(error) ?? `${line}; see "${command} --help".`);
  };
}

/** Suggests what to type instead, if the mistake is a common one. */
function explainMistake(error: CommanderError, name: string, verb: Verb, command: Command, cwd: string) {
  if (error.code === "commander.missingArgument")
    return `${name} needs ${command.registeredArguments[command.args.length]?.name()}, as in "${verb.examples[0]?.[0]}".`;
  if (error.code === "commander.excessArguments") return suggestFlag(name, command.args, cwd);
  const [, flag] = /unknown option '(--[a-z-]+)=/.exec(error.message) ?? [];
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) return undefined;
  const positive = flag?.replace("--no-", "--");
  return `${flag} does not take a value: use ${positive} or ${positive?.replace("--", "--no-")}.`;
}

/** Required arguments of verbs, for messages. */
const NEEDS: Readonly<Record<string, string>> = { publish: " FOLDER", use: " ID", forget: " ID", host: " NAME" };

/** Refuses a URL as the folder of releases, and a file of records as a release. @throws UserError (usage) */
function refuseMisplaced(verb: string, given: Readonly<Record<string, string | undefined>>, cwd: string): void {
  const { dist } = given;
  if (dist !== undefined && isHttpUrl(dist))
    throw usageError(
      `${dist} is a URL, but the folder of the releases is expected. To check what is deployed there: "rollcall verify ${shellWord(dist)}".`,
    );
  // `diff` also compares sources, `dev` builds from one, and a mirror is a SQLite file.
  if (["diff", "dev", "mirror"].includes(verb)) return;
  for (const word of Object.values(given)) {
    if (word === undefined || !isSourceFile(at(cwd, word))) continue;
    throw usageError(
      `${word} is a file of records, but releases are expected. To see it: "rollcall dev ${shellWord(word)}". To release it: "rollcall init --from ${shellWord(word)}", "rollcall build", then "rollcall ${verb}${NEEDS[verb] ?? ""}".`,
    );
  }
}

/** Suggests a flag for the argument of `build` or `init`, which take none. */
function suggestFlag(verb: string, [word, ...others]: readonly string[], cwd: string): string | undefined {
  if (word === undefined || others.length > 0) return undefined;
  const isFolder = statSync(at(cwd, word), { throwIfNoEntry: false })?.isDirectory();
  const flag = verb === "build" ? (isFolder ? "--dist" : "--db") : verb === "init" && !isFolder ? "--from" : undefined;
  return flag && `${verb} does not take an argument; did you mean "rollcall ${verb} ${flag} ${shellWord(word)}"?`;
}
