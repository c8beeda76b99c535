/** `rollcall diff`: what changed between two snapshots, in the form that is asked for. */
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Key, Settings } from "../config/settings.js";
import { diff as compare, type OpenDiff } from "../diff/diff.js";
import { findExceeded } from "../diff/gates.js";
import type { Side } from "../diff/side.js";
import { ExitCode } from "../errors.js";
import { painter } from "../print/style.js";
import { CURRENT } from "../release/layout.js";
import { PREVIOUS } from "../release/previous.js";
import { isSource, openSide, type SideEffects } from "../sides/open.js";
import type { SourceOptions } from "../sides/source.js";
import { asideOf, write } from "./document.js";
import { type Io, say } from "./io.js";
import { progressBar } from "./progress.js";
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
  const scratch = mkdtempSync(join(tmpdir(), "rollcall-diff-"));
  const unwatch = beforeEnd(io.signals, () => {
    remove(scratch);
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
    const [before, after] = await openSides(nameSides(old, newer, io.cwd), effects);
    const result = await compare(before, after, settings);
    bar?.clear();
    try {
      return await print(result, settings, io);
    } finally {
      result.close();
    }
  } finally {
    bar?.clear();
    remove(scratch);
    unwatch();
  }
}

/** Removes a folder that threads may still be writing to: out of their way first, so that nothing is added under way. */
function remove(folder: string): void {
  const aside = `${folder}-gone`;
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}

function sourceOptions(settings: Settings): SourceOptions {
  return Object.fromEntries(SOURCE_KEYS.map((key) => [key, settings[key]]));
}

/** A source without a base URL is published as the other side is, so that one is opened first. */
async function openSides([old, now]: readonly [string, string], effects: SideEffects): Promise<[Side, Side]> {
  if (isSource(old, effects.cwd)) {
    const after = await openSide(now, effects);
    return [await openSide(old, effects, after.facts.baseUrl), after];
  }
  const before = await openSide(old, effects);
  return [before, await openSide(now, effects, before.facts.baseUrl)];
}

/** A source is what would come; anything else that is named alone is what was. */
function nameSides(old: string | undefined, newer: string | undefined, cwd: string): [string, string] {
  if (old === undefined) return [PREVIOUS, CURRENT];
  if (newer === undefined) return isSource(old, cwd) ? [CURRENT, old] : [old, CURRENT];
  return [old, newer];
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
