/** `rollcall use`: makes another release current. */
import { ExitCode } from "../core/errors.js";
import { count, time } from "../core/print/numbers.js";
import { toJson } from "../core/print/text.js";
import { useRelease } from "../core/release/use.js";
import { warnUntidied } from "./program/failure.js";
import { stoppable } from "./program/signals.js";
import { type Invocation, type Io, ignoreLostOutput, print, sayLines } from "./program/verb.js";

/** Runs `rollcall use`. @returns its exit code. @throws UserError */
export async function runUse({ settings, arguments: { id = "" } }: Invocation, io: Io): Promise<ExitCode> {
  const result = await stoppable(io.signals, (signal) => useRelease(settings.dist, id, { cwd: io.cwd, signal }));
  const { now, before, untidied } = result;
  ignoreLostOutput(io, `Release ${now.id} is current.`);
  if (settings.json) print(io, toJson(result));
  else if (!settings.quiet) {
    const isSame = before?.name === now.name;
    const value = isSame ? `${now.id} is current already` : `${before?.id ?? "none"} -> ${now.id}`;
    sayLines(io, [
      { verb: "use", value, detail: `${count(now.records, now.words ?? "record")}, built ${time(now.time)} UTC` },
    ]);
  }
  warnUntidied(io, untidied);
  return ExitCode.done;
}
