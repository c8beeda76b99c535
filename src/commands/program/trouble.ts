/** For verbs whose exit code 1 means that something differs and nothing else, as diff(1) has it: trouble is 2. */
import { ExitCode, explainSystem, UserError } from "../../errors.js";

export async function trouble<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    const error = explainSystem(thrown);
    if (!(error instanceof UserError) || error.exitCode !== ExitCode.refused) throw error;
    throw new UserError(error.message, { exitCode: ExitCode.usage, cause: error });
  }
}
