/** Which fields matter to a reader of a diff: `--only bio,off_chain.*`, `--ignore languages`. */
import { z } from "zod";
import { userSchema } from "../contract/user.js";

/** Every path that a change can have, in published order: `bio`, ..., `off_chain.liveness_config.min_blinks`. */
export const FIELD_PATHS: readonly string[] = leaves(userSchema, "");

export interface FieldFilter {
  /** Patterns of the paths that count; all of them unless given. */
  only?: readonly string[] | undefined;
  /** Patterns of paths that do not count. */
  ignore?: readonly string[] | undefined;
}

/** Says of a path whether changes in it count. */
export function fieldFilter({ only, ignore = [] }: FieldFilter): (path: string) => boolean {
  const isMeant = (patterns: readonly string[]) => {
    const meant = new Set(patterns.flatMap(matchingPaths));
    return (path: string) => meant.has(path);
  };
  const [isWanted, isIgnored] = [only ? isMeant(only) : () => true, isMeant(ignore)];
  return (path) => isWanted(path) && !isIgnored(path);
}

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
