/** Which fields matter to a reader of a diff: `--only bio,off_chain.*`, `--ignore languages`. */
import { matchingPaths } from "../contract/fields.js";

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
