/** `rollcall use`: makes another release current. */
import { ExitCode } from "../errors.js";
import { count, time } from "../print/numbers.js";
import { toJson } from "../print/text.js";
import { useRelease } from "../release/use.js";
import { warnUntidied } from "./program/failure.js";
import { stoppable } from "./program/signals.js";
import { type Given, type Io, print, sayLines, type Verb } from "./program/verb.js";

export const useVerb: Verb = {
  name: "use",
  summary: "Make another release current",
  arguments: {
    "<id>": "the release's id or the beginning of it, or previous",
    "[dist]": "folder of the releases (default: dist, or what out is set to)",
  },
  examples: [
    ["rollcall use 1f6a", "switch to the release whose id begins with 1f6a"],
    ["rollcall use previous", "back to the one that was current before"],
  ],
  configured: true,
  run: runUse,
};

async function runUse({ settings, arguments: { id = "" } }: Given, io: Io): Promise<ExitCode> {
  const { now, before, untidied } = await stoppable(io.signals, (signal) =>
    useRelease(settings.out, id, { cwd: io.cwd, signal }),
  );
  if (settings.json) {
    const { id, name, folder } = now;
    print(io, toJson({ id, name, folder, before: before?.id ?? null, untidied }));
  } else if (!settings.quiet) {
    const isSame = before?.name === now.name;
    const value = isSame ? `${now.id} is current already` : `${before?.id ?? "none"} -> ${now.id}`;
    sayLines(io, [
      { verb: "use", value, detail: `${count(now.records, now.words ?? "record")}, built ${time(now.time)} UTC` },
    ]);
  }
  warnUntidied(io, untidied);
  return ExitCode.done;
}
