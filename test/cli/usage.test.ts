/** Help, version, and usage errors. */
import { readFileSync, writeFileSync } from "node:fs";
import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { reportFailure } from "../../src/cli/program/failure.js";
import { VERBS } from "../../src/cli/program/verbs.js";
import { ExitCode, UserError } from "../../src/core/errors.js";
import type { VerbName } from "../../src/core/settings/kinds.js";
import { flagOf, variableOf } from "../../src/core/settings/names.js";
import { SETTING_KEYS, settingOf } from "../../src/core/settings/settings.js";
import { expectTable } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

const NAMES = Object.keys(VERBS) as VerbName[];
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

test("--version prints the package's version", async () => {
  expect(await rollcall("--version", fakeIo(scratch()))).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: "",
  });
});

test("without a known verb, prints help on stderr, exit code 2", async () => {
  const help = await rollcall("--help", fakeIo(scratch()));
  const none = await rollcall("", fakeIo(scratch()));
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(none).toEqual({ code: 2, stdout: "", stderr: help.stdout });
  expect(await rollcall("help bild", fakeIo(scratch()))).toEqual(none);
  expect(await rollcall("help build", fakeIo(scratch()))).toEqual(await rollcall("build --help", fakeIo(scratch())));
});

test("help has one sentence about --no flags, and lists none, since no setting is on by default", async () => {
  const { stdout } = await rollcall("--help", fakeIo(scratch()));
  expect(stdout).toContain("--no-json, --no-skip-invalid and the like");
  expect(SETTING_KEYS.filter((key) => settingOf(key).default === true)).toEqual([]);
  for (const name of NAMES) {
    const help = (await rollcall(`${name} --help`, fakeIo(scratch()))).stdout;
    expect(help).not.toContain("--no-");
  }
});

test("the main help lists every exit code", async () => {
  const { stdout } = await rollcall("--help", fakeIo(scratch()));
  const { hungUp, terminated, ...codes } = ExitCode;
  expect(stdout).toMatch(new RegExp(`${terminated} by SIGTERM,\\s+${hungUp} by SIGHUP`));
  for (const code of Object.values(codes)) expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\w`, "m"));
});

test.each([100, 80])(
  "help fits a terminal of %i columns, but for long examples, which can be copied",
  async (columns) => {
    for (const verb of ["", ...NAMES] as const) {
      const io = fakeIo(scratch());
      io.stdout.columns = columns;
      const { stdout } = await rollcall(`${verb} --help`, io);
      // Only single words may be longer than a line.
      for (const line of stdout.split("\n"))
        if (line.trim().includes(" ") && !line.startsWith("  rollcall "))
          expect(line.length, line).toBeLessThanOrEqual(columns);
      const examples = verb === "" ? [] : VERBS[verb].examples;
      for (const [command] of examples) expect(stdout).toContain(`  ${command}\n`);
    }
  },
);

test("the help of a verb has its arguments, flags in groups, and examples", async () => {
  const { stdout } = await rollcall("use --help", fakeIo(scratch()));
  expect(stdout).toBe(`\
Usage: rollcall use [options] <id> [dist]

Make another release current. Checks every byte of it first.

Arguments:
  id               an id or its beginning, or previous
  dist             same as --dist

Output:
  --dist <folder>  folder of the releases (default: dist)

Run:
  --json           print JSON on stdout
  --quiet          print nothing on success
  --config <file>  settings to read instead of rollcall.config.json

Config file, variables, exit codes: see "rollcall --help".

Examples:
  # switch to the release whose id begins with 1f6a
  rollcall use 1f6a
  # switch back
  rollcall use previous
`);
});

describe("docs/reference/commands.md", () => {
  test("names the settings whose flag, variable and key do not follow from each other", () => {
    const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const others = SETTING_KEYS.filter((key) => flagOf(key) !== `--${kebab(key)}`);
    const rows = others.map((key) => [`${settingOf(key).verbs[0]} ${flagOf(key)}`, key, variableOf(key)]);
    const cells = rows.map((row) => row.map((name) => `\`${name}\``));
    expectTable("docs/reference/commands.md", "Four flags have other names in the file and the environment:", [
      ["flag", "key in the file", "variable"],
      ...cells,
    ]);
    for (const key of SETTING_KEYS)
      expect(variableOf(key)).toBe(`ROLLCALL_${kebab(key).replaceAll("-", "_").toUpperCase()}`);
  });

  test("has the main help from its settings on, word for word", async () => {
    const { stdout } = await rollcall("--help", fakeIo(scratch()));
    const end = stdout.slice(stdout.indexOf("Settings:\n"));
    const file = "docs/reference/commands.md";
    const docs = readFileSync(file, "utf8");
    const shown = /^\$ rollcall --help\n\.\.\.\n([\s\S]*?)^```$/m;
    if (process.env["UPDATE"])
      writeFileSync(
        file,
        docs.replace(shown, () => `$ rollcall --help\n...\n${end}\`\`\``),
      );
    else expect(shown.exec(docs)?.[1]).toBe(end);
  });

  test("has every verb with its arguments", () => {
    const rows = Object.entries(VERBS).map(([name, { summary, details, arguments: all = {} }]) => {
      const described = Object.entries(all).map(([term, text]) => `\`${term}\`: ${text}.`);
      return [`\`${name}\``, [summary, details].filter(Boolean).join(". ").replace(/\.?$/, "."), described.join(" ")];
    });
    expectTable("docs/reference/commands.md", "## Verbs", [["verb", "does", "arguments"], ...rows]);
  });

  test("has every flag with its verbs", () => {
    const rows = SETTING_KEYS.flatMap((key) => {
      const { verbs, placeholder, help, default: value } = settingOf(key);
      if (verbs.length === 0) return [];
      const flag = placeholder ? `${flagOf(key)} ${placeholder}` : flagOf(key);
      const note = value === undefined || typeof value === "boolean" ? "" : ` (default: ${value})`;
      return [[`\`${flag}\``, verbs.join(", "), help + note].map((cell) => cell.replaceAll("|", "\\|"))];
    });
    expectTable("docs/reference/commands.md", "## Flags", [["flag", "verbs", "meaning"], ...rows]);
  });
});

test.each([
  ["bild", "unknown command 'bild' (Did you mean build?); see \"rollcall --help\"."],
  ["build --page-sze 3", "unknown option '--page-sze' (Did you mean --page-size?); see \"rollcall build --help\"."],
  ["build --db", "option '--db <file>' argument missing; see \"rollcall build --help\"."],
  ["use", "missing required argument 'id', as in \"rollcall use 1f6a\"."],
  ["build --bulk=yes", "unknown option '--bulk=yes'; see \"rollcall build --help\"."],
  [
    "releases a b",
    "too many arguments for 'releases'. Expected 1 argument but got 2; see \"rollcall releases --help\".",
  ],
  [
    "build",
    'db and baseUrl are not set: give --db <file> and --base-url <url>, ROLLCALL_DB and ROLLCALL_BASE_URL, or db and baseUrl in rollcall.config.json ("rollcall init --from FILE" writes one).',
  ],
  ["build --config=", '--config must name a file, got "".'],
])("refuses rollcall %s in one line, exit code 2", async (line, message) => {
  const io = fakeIo(scratch());
  expect(await rollcall(line, io)).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
});

describe("what ends a run", () => {
  const failure = (error: unknown, options: { env?: Record<string, string>; isTTY?: boolean } = {}) => {
    const io = fakeIo("/", options);
    return { code: reportFailure(error, io), stdout: io.stdout.text, stderr: io.stderr.text };
  };

  test.each([
    [new UserError("No."), 1, "error: No.\n"],
    [new UserError("No.", { exitCode: ExitCode.usage }), 2, "error: No.\n"],
    [new UserError("a\nb\x1b[2J"), 1, "error: a\\u000ab\\u001b[2J\n"],
    [
      new TypeError("x is not a function"),
      70,
      "Bug in Rollcall: x is not a function; run again with ROLLCALL_DEBUG=1 for the stack\n",
    ],
    ["text", 70, "Bug in Rollcall: text; run again with ROLLCALL_DEBUG=1 for the stack\n"],
    [new CommanderError(0, "commander.helpDisplayed", "(outputHelp)"), 0, ""],
  ])("%s: exit %i", (error, code, stderr) => {
    expect(failure(error)).toEqual({ code, stdout: "", stderr });
  });

  test("ROLLCALL_DEBUG prints the stack of a bug, but not of a user error", () => {
    const env = { ROLLCALL_DEBUG: "1" };
    expect(failure(new TypeError("x"), { env })).toMatchObject({
      code: 70,
      stderr: expect.stringMatching(/^TypeError: x\n +at /),
    });
    expect(failure(new UserError("No."), { env }).stderr).toBe("error: No.\n");
  });
});
