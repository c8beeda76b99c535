/** What a verb's file exports: the words of its help, and its run. The flags come from the table of settings. */

import type { ExitCode } from "../../errors.js";
import type { SettingKey, Settings } from "../../settings/settings.js";
import type { Io } from "./io.js";

export interface Verb {
  name: string;
  /** One line. */
  summary: string;
  /** As commander writes them, with their help. A `[dist]` stands for the setting `out`. */
  arguments: Readonly<Record<string, string>>;
  /** Command lines, each with what it does. */
  examples: readonly (readonly [command: string, purpose: string])[];
  /** Whether the config file is read; flags and variables are in any case. */
  configured: boolean;
  /** Settings that come from variables and the file only: flags for them would bury the verb's own. */
  reads?: readonly SettingKey[];
  /** Instead of the usual ones, without those that all verbs share. */
  exitCodes?: readonly (readonly [code: ExitCode, meaning: string])[];
  run(given: Given, io: Io): Promise<ExitCode>;
}

export interface Given {
  settings: Settings;
  /** Positional arguments by name. */
  arguments: Readonly<Record<string, string | undefined>>;
}
