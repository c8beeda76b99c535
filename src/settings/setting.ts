/** A row of the table of settings. */
import type { z } from "zod";
import type { SettingKind } from "./kinds.js";

export interface Setting {
  kind: SettingKind;
  schema: z.ZodType;
  /** Completes "must be ..."; absent where the schema's own message is a sentence. */
  allowed?: string;
  default?: unknown;
  /** The verbs that have it as a flag. */
  verbs: readonly string[];
  /** What stands after the flag in help. */
  placeholder?: string;
  help: string;
}
