/** The loop of `rollcall dev`: a step, a pause, the same step again. */
import { explainSystem, UserError } from "../core/errors.js";

export interface Repeat {
  /** Resolves when the next step is due. */
  pause(): Promise<void>;
  /** Called when a step has failed. Throws to end the loop; otherwise the step is tried again. */
  onTrouble(error: UserError): void | Promise<void>;
  signal: AbortSignal | undefined;
}

/** Repeats a step until stopped. @throws the reason of `signal`; any error that is not a UserError; what `onTrouble` throws. */
export async function repeat(step: () => Promise<void>, { pause, onTrouble, signal }: Repeat): Promise<never> {
  for (;;) {
    try {
      await step();
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = explainSystem(thrown);
      if (!(error instanceof UserError)) throw error;
      await onTrouble(error);
    }
    await pause();
  }
}
