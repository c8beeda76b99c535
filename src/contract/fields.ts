/** The paths of a user's fields, patterns of them, and limits on how many users may change. */
import { z } from "zod";
import { userSchema } from "./user.js";

/** Every path that a change can have, in published order: `bio`, ..., `off_chain.liveness_config.min_blinks`. */
export const FIELD_PATHS: readonly string[] = leaves(userSchema, "");

/** The paths that a pattern matches: itself, and all below it; `*` matches any part. Empty when it matches none. */
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

/** Whether a text is a number of users or a percentage of them: `10`, `2%`, `0.5%`. */
export function isLimit(text: string): boolean {
  return /^(?:\d{1,15}|\d{1,9}(?:\.\d{1,9})?%)$/.test(text);
}

/** Whether so many users of `all` are more than a limit allows. Where `all` is 0, any user is more than a percentage. */
export function isOver(limit: string, users: number, all: number): boolean {
  if (!limit.endsWith("%")) return users > Number(limit);
  // Multiplied rather than divided: 3 of 100 are exactly 3 %.
  return users * 100 > Number(limit.slice(0, -1)) * all;
}

/** The parts of `off_chain.tokens=5%`; undefined when they are not a known field and a limit. */
export function parseFieldLimit(text: string): { path: string; limit: string } | undefined {
  const [path = "", limit = "", ...rest] = text.split("=");
  const isField = matchingPaths(path).length === 1 && matchingPaths(path)[0] === path;
  return isField && isLimit(limit) && rest.length === 0 ? { path, limit } : undefined;
}
