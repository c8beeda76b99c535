/** `rollcall diff`: reports what changed between two snapshots. */
import { InvalidRecordsError } from "../build/problems.js";
import { ExitCode, usageError } from "../core/errors.js";
import { painter } from "../core/print/style.js";
import { listed } from "../core/print/text.js";
import { optionsOf, type Settings } from "../core/settings/settings.js";
import { type DiffResult, type DiffResults, diffAll } from "../diff/diff.js";
import { writeDocument } from "./program/document.js";
import { refusalsAsUsageErrors } from "./program/failure.js";
import { type Progress, withProgress } from "./program/progress.js";
import { type Invocation, type Io, say, sayLines } from "./program/verb.js";

/** Runs a diff. @throws UserError (usage) if something is refused, since exit code 1 means that something differs. */
export function runDiff(given: Invocation, io: Io): Promise<ExitCode> {
  return refusalsAsUsageErrors(() =>
    withProgress(io, "record", (bar, signal) => compareAndPrint(given, io, bar, signal)),
  );
}

async function compareAndPrint(
  { settings, arguments: { old, new: newer } }: Invocation,
  io: Io,
  bar: Progress | undefined,
  signal: AbortSignal,
): Promise<ExitCode> {
  const notes: string[] = [];
  try {
    const result = await diffAll(
      { old, new: newer, ...optionsOf("diff", settings) },
      {
        cwd: io.cwd,
        signal,
        onProgress: ({ records, total, words }) => bar?.update(records, total, words),
        onNote: (note) => notes.push(note),
      },
    );
    bar?.clear();
    if (notes.length > 0)
      sayLines(
        io,
        notes.map((value) => ({ verb: "note", value, loud: true })),
      );
    return await print(result, settings, io, signal).finally(result.close);
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    bar?.clear();
    const { refuseInvalid } = await import("./program/problems.js");
    throw refuseInvalid(error, settings, io, "nothing was compared");
  }
}

async function print(result: DiffResults, settings: Settings, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { listings, added, removed, isWhole } = result;
  const named = listings.flatMap(({ name, comparison }) =>
    comparison.exceeded.map((sentence) => (isWhole ? `${name}: ${sentence}` : sentence)),
  );
  const exceeded = [...result.exceeded, ...named];
  const text = isWhole ? siteText(result, settings, io) : toText(listings[0]?.comparison as DiffResult, settings, io);
  await writeDocument(await text, settings.output, io, signal);
  if (settings.output !== undefined) sayLines(io, [{ verb: "wrote", value: settings.output }]);
  // On a terminal, the text report has listed them.
  const isSaid = settings.format === "text" && settings.output === undefined && io.stdout.isTTY;
  for (const finding of isSaid ? [] : exceeded)
    say(io, `${painter(io.stderr, io.env)("red", "gate exceeded:")} ${finding}`);
  if (exceeded.length > 0) return ExitCode.gate;
  const isSame = listings.every(
    ({ comparison: diff }) => diff.contract === undefined && diff.added + diff.removed + diff.changed === 0,
  );
  return isSame && added.length + removed.length === 0 ? ExitCode.done : ExitCode.refused;
}

/** Writes the report of all listings of two sites. @throws UserError (usage) for a format of one listing */
async function siteText(result: DiffResults, { format, limit, all, output, only, ignore }: Settings, io: Io) {
  const site = await import("../diff/report/site.js");
  const filter = { only, ignore };
  switch (format) {
    case "json":
      return site.siteJson(result, filter);
    case "markdown":
      return site.siteMarkdown(result, { filter });
    case "html":
    case "ndjson": {
      const names = result.listings.map(({ name }) => name);
      throw usageError(`--format ${format} shows one listing; name it with --listing: ${listed(names)}.`);
    }
    default: {
      const paint = painter(output === undefined ? io.stdout : FILE, io.env);
      return site.siteText(result, { limit: all ? Number.POSITIVE_INFINITY : limit, paint, filter });
    }
  }
}

/** A file has no colours, except with FORCE_COLOR. */
const FILE = { isTTY: false } as Io["stdout"];

/** Writes the report in its format. Formats are loaded on demand, since charts take long to load. */
async function toText(diff: DiffResult, { format, limit, all, output, only, ignore }: Settings, io: Io) {
  const { exceeded } = diff;
  const filter = { only, ignore };
  switch (format) {
    case "json":
      return (await import("../diff/report/json.js")).jsonReport(diff, filter);
    case "ndjson":
      return (await import("../diff/report/json.js")).ndjsonReport(diff);
    case "html":
      return (await import("../diff/report/html.js")).htmlReport(diff, { exceeded, filter });
    case "markdown":
      return (await import("../diff/report/markdown.js")).markdownReport(diff, { exceeded, filter });
    default: {
      const paint = painter(output === undefined ? io.stdout : FILE, io.env);
      const { textReport } = await import("../diff/report/text.js");
      return textReport(diff, { limit: all ? Number.POSITIVE_INFINITY : limit, paint, exceeded, filter });
    }
  }
}
