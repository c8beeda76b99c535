/** Patterns of authors: whether they can be compiled, and be asked without an end. */

const LONGEST_PATTERN = 400;

/** The regular expression of a pattern that nothing is wrong with. */
export function patternOf(pattern: string): RegExp | undefined {
  return whyNotPattern(pattern) === undefined ? new RegExp(pattern, "u") : undefined;
}

export function whyNotPattern(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `must be a pattern of at most ${LONGEST_PATTERN} characters`;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}
