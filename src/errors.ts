/** Errors a person can act on, and the exit codes they end in. */

/** What the process's exit code says; listed in `rollcall --help`. `diff` uses 1 and 2 as diff(1) does. */
export const ExitCode = { done: 0, refused: 1, usage: 2, gate: 3, bug: 70 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * A mistake or a state of the world that the user can mend. The message is one line that names the thing,
 * the value, what is allowed and the next step. Everything else that is thrown is a bug of Rollcall's.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: ExitCode;

  constructor(message: string, options: { exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? ExitCode.refused;
  }
}

/** A wrong flag, argument, variable or config key. */
export function usageError(message: string): UserError {
  return new UserError(message, { exitCode: ExitCode.usage });
}

/** The system's error code (`ENOENT`, `SQLITE_BUSY`, ...) of anything that was thrown. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
