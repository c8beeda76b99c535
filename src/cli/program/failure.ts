/** Prints failures on stderr, and finds the exit code of a failed run. */
import { CommanderError } from "commander";
import { ExitCode, explainSystem, HostError, UserError, usageError } from "../../core/errors.js";
import { painter } from "../../core/print/style.js";
import { visible } from "../../core/print/text.js";
import { DEBUG_VARIABLE } from "../../core/settings/names.js";
import { Stopped } from "./signals.js";
import { type Io, say } from "./verb.js";

/** Prints warnings about clean-up that failed after a verb's work was done, also with `--quiet`. */
export function warnUntidied(io: Io, untidied: readonly string[]): void {
  for (const line of untidied) say(io, `${painter(io.stderr, io.env)("yellow", "warning:")} ${visible(line)}`);
}

/** Prints the error that ended the run. @returns the exit code. */
export function reportFailure(thrown: unknown, io: Io): ExitCode {
  const error = explainSystem(thrown);
  const complain = (label: string, text: string) =>
    say(io, `${painter(io.stderr, io.env)("red", `${label}:`)} ${visible(text)}`);

  // Commander has printed help or the version. Help without `--help` means that the verb was missing.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  if (error instanceof UserError) {
    if (error instanceof Stopped) say(io, error.message);
    else {
      // Details follow on their own lines.
      const [first = ""] = error.details.length > 0 ? error.message.split("\n") : [error.message];
      complain("error", first);
      for (const line of error.details) say(io, `  ${visible(line)}`);
    }
    return error.exitCode;
  }
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  if (io.env[DEBUG_VARIABLE]) say(io, stack);
  else complain("Bug in Rollcall", `${message}; run again with ${DEBUG_VARIABLE}=1 for the stack`);
  return ExitCode.bug;
}

/** Runs a verb whose exit code 1 means that something differs, as in diff(1). Refusals get code 2, except unreachable hosts. */
export async function refusalsAsUsageErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    const error = explainSystem(thrown);
    if (!(error instanceof UserError) || error instanceof HostError || error.exitCode !== ExitCode.refused) throw error;
    throw usageError(error.message, error);
  }
}
