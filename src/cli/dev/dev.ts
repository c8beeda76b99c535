/** `rollcall dev`: turns settings into the options of each build, and its result into text or lines of JSON. */
import { dirname, join } from "node:path";
import { InvalidRecordsError } from "../../build/problems.js";
import type { Diff } from "../../core/compare/change.js";
import { ExitCode, usageError } from "../../core/errors.js";
import type { Words } from "../../core/print/numbers.js";
import { painter } from "../../core/print/style.js";
import { toJson, visible } from "../../core/print/text.js";
import { STDIN } from "../../core/settings/kinds.js";
import { CONTRACT_FILE } from "../../core/settings/names.js";
import { need } from "../../core/settings/resolve.js";
import { optionsOf, type Settings } from "../../core/settings/settings.js";
import { type DevListing, type DevScreen, type DevSettings, dev } from "../../dev/dev.js";
import { type Progress, progressBar } from "../program/progress.js";
import { Stopped, stoppable } from "../program/signals.js";
import { type Invocation, type Io, print, say } from "../program/verb.js";
import { blocks } from "./blocks.js";

/** Runs `rollcall dev`. @returns its exit code. @throws UserError */
export async function runDev({ settings, reload, config }: Invocation, io: Io): Promise<ExitCode> {
  // A missing setting is refused now. Wrong ones are reported, and may be corrected while this runs.
  const { db } = need(settings, "db");
  if (db === STDIN) throw usageError("dev builds again when its file changes: give a file instead of standard input.");
  const screen = settings.json ? jsonLines(io) : blocks(io, db);
  // One bar for each build.
  let bar: Progress | undefined;
  let records: Words | undefined;
  const options = {
    port: settings.devPort,
    settings: async () => toDevSettings(await reload()),
    files: [config, join(dirname(config), CONTRACT_FILE)],
  };
  try {
    await stoppable(io.signals, (signal) =>
      dev(options, {
        onListening: screen.onListening,
        async onBegin(words) {
          records = words;
          bar = settings.json ? undefined : progressBar(io, words);
        },
        onProgress: ({ records: done, total, words = records }) => bar?.update(done, total, words),
        onBuilt(build) {
          bar?.clear();
          return screen.onBuilt(build);
        },
        onTrouble(trouble) {
          bar?.clear();
          return screen.onTrouble(trouble);
        },
        log: (line) => say(io, `${painter(io.stderr, io.env)("yellow", "warning:")} ${visible(line)}`),
        signal,
      }),
    );
  } catch (error) {
    // Being stopped is the normal end of this verb.
    if (!(error instanceof Stopped)) throw error;
  } finally {
    bar?.clear();
  }
  return ExitCode.done;
}

function toDevSettings(settings: Settings): DevSettings {
  return { ...optionsOf("dev", settings), ...need(settings, "db") };
}

/** Prints one line of JSON for each event on stdout. */
function jsonLines(io: Io): DevScreen {
  const printEvent = (event: string, facts: Readonly<Record<string, unknown>>) =>
    print(io, toJson({ event, ...facts }));
  return {
    onListening(url) {
      printEvent("listening", { url });
    },
    async onBuilt({ url, result, milliseconds, files, listings, made }) {
      const seconds = Math.round(milliseconds) / 1000;
      printEvent("built", { url, files, made: made ?? null, ...result, diff: diffsOf(listings), seconds });
    },
    async onTrouble({ error, files, isServing }) {
      const problems = error instanceof InvalidRecordsError ? error.problems : null;
      printEvent("trouble", { files, error: error.message, problems, serving: isServing });
    },
  };
}

/** The counts of the diff of the only listing, or of each of several, by name; null if none differs. */
function diffsOf(listings: readonly DevListing[]) {
  const diffs = listings.flatMap(({ name, changes }) => (changes ? [[name, diffCounts(changes)] as const] : []));
  const [first] = diffs;
  if (!first) return null;
  return first[0] === "" ? first[1] : Object.fromEntries(diffs);
}

/** The counts of a diff with the snapshot that was served before. */
function diffCounts({ contract, added, removed, changed, unchanged, fields }: Diff) {
  return { contract: contract !== undefined, added, removed, changed, unchanged, fields: Object.fromEntries(fields) };
}
