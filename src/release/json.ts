/** JSON from outside, checked. */
import type { z } from "zod";

/** What a text says, or undefined when it is no JSON or not of the form. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
