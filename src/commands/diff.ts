/** `rollcall diff`: what changed between two snapshots, in the form that is asked for. */
import { rmSync } from "node:fs";
import type { Key, Settings } from "../config/settings.js";
import { parseFieldLimit } from "../contract/limits.js";
import { diff as compare, type OpenDiff } from "../diff/diff.js";
import { fieldFilter } from "../diff/filter.js";
import { findExceeded } from "../diff/gates.js";
import { ExitCode, usageError } from "../errors.js";
import { painter } from "../print/style.js";
import { openSides } from "../sides/both.js";
import type { SideEffects } from "../sides/open.js";
import type { SourceOptions } from "../sides/source.js";
import { asideOf, write } from "./document.js";
import { type Io, say } from "./io.js";
import { progressBar } from "./progress.js";
import { explainRoom, makeScratch, removeScratch } from "./scratch.js";
import { beforeEnd } from "./signals.js";
import { trouble } from "./trouble.js";
import type { Given, Verb } from "./verb.js";

/** What a source is published with comes from where a build takes it. */
const SOURCE_KEYS = [
  "baseUrl",
  "pageSize",
  "table",
  "query",
  "defaultAvatar",
  "links",
  "skipInvalid",
  "workers",
] as const satisfies readonly Key[];

export const diff: Verb = {
  name: "diff",
  summary: "Show what changed between two snapshots, user by user",
  arguments: {
    "[old]":
      "a release's id or its beginning, current, previous, a release's folder, git:REV:PATH, a base URL, or a SQLite file (default: previous)",
    "[new]": "the same (default: current; a SQLite file alone is compared with current)",
  },
  examples: [
    ["rollcall diff", "the previous release against the current one"],
    ["rollcall diff data/users.sqlite", "what publishing this source would change"],
    ["rollcall diff git:main:dist/current current --format markdown --output diff.md", "for a pull request"],
    ["rollcall diff https://directory.example.com current --max-removed 1%", "exit 3 when more would go"],
  ],
  configured: true,
  reads: SOURCE_KEYS,
  exitCodes: `Exit codes:
  0   no changes
  1   changes
  2   trouble: a side that cannot be read, or a wrong flag, argument, variable or config file
  3   changes, and a gate is exceeded
  70  a bug in Rollcall`,
  run: (given, io) => trouble(() => report(given, io)),
};

async function report({ settings, arguments: { old, new: newer } }: Given, io: Io): Promise<ExitCode> {
  refuseBlindGate(settings);
  const scratch = await makeScratch();
  const unwatch = beforeEnd(io.signals, () => {
    removeScratch(scratch);
    if (settings.output !== undefined) rmSync(asideOf(settings.output), { force: true });
  });
  const bar = await progressBar(io, "user");
  try {
    const effects: SideEffects = {
      cwd: io.cwd,
      dist: settings.out,
      scratch,
      source: sourceOptions(settings),
      onProgress: ({ users, total }) => bar?.update(users, total),
    };
    const result = await open(old, newer, settings, effects);
    bar?.clear();
    try {
      return await print(result, settings, io);
    } finally {
      result.close();
    }
  } finally {
    bar?.clear();
    removeScratch(scratch);
    unwatch();
  }
}

async function open(
  old: string | undefined,
  newer: string | undefined,
  filter: Settings,
  effects: SideEffects,
): Promise<OpenDiff> {
  try {
    const [before, after] = await openSides(old, newer, effects);
    return await compare(before, after, filter);
  } catch (error) {
    throw explainRoom(error);
  }
}

/** A gate on a field that does not count would hold whatever happens. */
function refuseBlindGate({ only, ignore, maxField = [] }: Settings): void {
  const counts = fieldFilter({ only, ignore });
  const blind = maxField.map((gate) => parseFieldLimit(gate)?.path).find((path) => path && !counts(path));
  if (blind !== undefined)
    throw usageError(
      `--max-field names ${blind}, which --only or --ignore leaves out; let it count, or leave out its gate.`,
    );
}

function sourceOptions(settings: Settings): SourceOptions {
  return Object.fromEntries(SOURCE_KEYS.map((key) => [key, settings[key]]));
}

async function print(diff: OpenDiff, settings: Given["settings"], io: Io): Promise<ExitCode> {
  const exceeded = findExceeded(diff, settings);
  await write(await toText(diff, settings, exceeded, io), settings.output, io);
  // At a terminal the text has just said it.
  const isSaid = settings.format === "text" && settings.output === undefined && io.stdout.isTTY;
  for (const finding of isSaid ? [] : exceeded)
    say(io, `${painter(io.stderr, io.env)("red", "gate exceeded:")} ${finding}`);
  if (exceeded.length > 0) return ExitCode.gate;
  return diff.added + diff.removed + diff.changed > 0 ? ExitCode.refused : ExitCode.done;
}

/** What says whether a file may have colours: it is no terminal. */
const FILE = { isTTY: false } as Io["stdout"];

/** Each form is loaded when it is asked for: charts take long to load. */
async function toText(
  diff: OpenDiff,
  { format, limit, all, output, only, ignore }: Given["settings"],
  exceeded: readonly string[],
  io: Io,
): Promise<AsyncGenerator<string>> {
  const filter = { only, ignore };
  switch (format) {
    case "json":
      return (await import("../review/json.js")).jsonReport(diff, filter);
    case "ndjson":
      return (await import("../review/ndjson.js")).ndjsonReport(diff);
    case "html":
      return (await import("../review/html.js")).htmlReport(diff, { exceeded, filter });
    case "markdown":
      return (await import("../review/markdown.js")).markdownReport(diff, { exceeded, filter });
    default: {
      const paint = painter(output === undefined ? io.stdout : FILE, io.env);
      const { textReport } = await import("../review/text.js");
      return textReport(diff, { limit: all ? Number.POSITIVE_INFINITY : limit, paint, exceeded, filter });
    }
  }
}
