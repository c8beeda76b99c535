/** The paths of a user's fields, and patterns of them. */
import { z } from "zod";
import { userSchema } from "./user.js";

/** Every path that a change can have, in published order: `bio`, ..., `off_chain.liveness_config.min_blinks`. */
export const FIELD_PATHS: readonly string[] = leaves(userSchema, "");

/** The paths that a pattern means: itself, all below it, or with `*` for any part. Empty when it means none. */
export function matchingPaths(pattern: string): string[] {
  const parts = pattern.split(".");
  return FIELD_PATHS.filter((path) => {
    const names = path.split(".");
    return parts.length <= names.length && parts.every((part, at) => part === "*" || part === names[at]);
  });
}

function leaves(schema: z.ZodType, prefix: string): string[] {
  if (!(schema instanceof z.ZodObject)) return [prefix];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    leaves(field as z.ZodType, prefix === "" ? name : `${prefix}.${name}`),
  );
}
