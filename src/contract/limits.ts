/** Limits as people write them: a number of users, or a percentage of them. */
import { matchingPaths } from "./field-paths.js";

/** `10`, `2%`, `0.5%` */
export function isLimit(text: string): boolean {
  return /^(?:\d{1,15}|\d{1,9}(?:\.\d{1,9})?%)$/.test(text);
}

/** Whether so many users of `all` are more than a limit allows; of none, any is more than a percentage. */
export function isOver(limit: string, users: number, all: number): boolean {
  if (!limit.endsWith("%")) return users > Number(limit);
  // Multiplied rather than divided: 3 of 100 are exactly 3 %.
  return users * 100 > Number(limit.slice(0, -1)) * all;
}

/** Takes `off_chain.tokens=5%` apart; undefined when it is not a known field and a limit. */
export function parseFieldLimit(text: string): { path: string; limit: string } | undefined {
  const [path = "", limit = "", ...rest] = text.split("=");
  const isField = matchingPaths(path).length === 1 && matchingPaths(path)[0] === path;
  return isField && isLimit(limit) && rest.length === 0 ? { path, limit } : undefined;
}
