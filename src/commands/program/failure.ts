/** What trouble looks like to the user: a line on stderr, and for an error an exit code. */
import { CommanderError } from "commander";
import { ExitCode, explainSystem, UserError } from "../../errors.js";
import { painter } from "../../print/style.js";
import { visible } from "../../print/text.js";
import { DEBUG_VARIABLE } from "../../settings/names.js";
import { type Io, say } from "./io.js";
import { Stopped } from "./stop.js";

/** Prints what went wrong after a verb had done its work, also where nothing is printed on success. */
export function warnUntidied(io: Io, untidied: readonly string[]): void {
  for (const line of untidied) say(io, `${painter(io.stderr, io.env)("yellow", "warning:")} ${visible(line)}`);
}

/** Prints what ended the run and says the exit code it ends in. */
export function reportFailure(thrown: unknown, io: Io): ExitCode {
  const error = explainSystem(thrown);
  const complain = (label: string, text: string) =>
    say(io, `${painter(io.stderr, io.env)("red", `${label}:`)} ${visible(text)}`);

  // Help and version, which commander has printed; help that nobody asked for means that the verb was missing.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  if (error instanceof Stopped) {
    say(io, error.message);
    return error.exitCode;
  }
  if (error instanceof UserError) {
    complain("error", error.message);
    return error.exitCode;
  }
  if (io.env[DEBUG_VARIABLE]) {
    say(io, error instanceof Error ? (error.stack ?? String(error)) : String(error));
    return ExitCode.bug;
  }
  const text = error instanceof Error ? error.message : String(error);
  complain("Bug in Rollcall", `${text}; run again with ${DEBUG_VARIABLE}=1 for the stack`);
  return ExitCode.bug;
}
