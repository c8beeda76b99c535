/**
 * Whether a text matches. V8 keeps each choice that it may come back to, in 64 MiB at most: a text of many megabytes can have
 * too many of them. Then nobody knows whether it matches, and it is taken as one that does not.
 */
export function matches(expression: RegExp, text: string): boolean {
  try {
    return expression.test(text);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
