/** What printing touches of the world. */

/** A stream as far as printing cares. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;
