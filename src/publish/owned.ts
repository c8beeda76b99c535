/** What Rollcall owns in a target: the list that is kept there, so that it never touches what is not its own. */
import { z } from "zod";
import { UserError } from "../errors.js";
import { findPage, pagePath, type Variant } from "../release/layout.js";
import type { ReleaseFiles } from "./files.js";
import { isPublishable } from "./names.js";

const ownedSchema = z.strictObject({
  /** The version of this form. */
  rollcall: z.literal(1),
  /** The id of the release that was published last. */
  release: z.string().regex(/^[0-9a-f]{12}$/),
  /** False from before the first change until after the last removal. */
  complete: z.boolean(),
  /** Pages 1 to this, each in all variants. */
  pages: z.int().min(0).max(999_999_999),
  variants: z.array(z.enum(["identity", "br", "gzip"])),
  /** Paths of all other files. */
  others: z.array(z.string().refine(isPublishable)),
});

/** Never longer for more pages: who published pages 1 to N owns all that are named so. */
export type Owned = z.infer<typeof ownedSchema>;

/** What a target that holds a release and nothing more of Rollcall's owns. */
export function ownedBy(files: ReleaseFiles): Owned {
  const { id, pages, encodings } = files.snapshot;
  const variants: Variant[] = ["identity", ...encodings];
  return { rollcall: 1, release: id, complete: true, pages, variants, others: files.others };
}

/** What is owned while one release takes the place of another: all files of both. */
export function ownedBetween(before: Owned | undefined, after: Owned): Owned {
  if (!before) return { ...after, complete: false };
  return {
    ...after,
    complete: false,
    pages: Math.max(before.pages, after.pages),
    variants: union(before.variants, after.variants),
    others: union(before.others, after.others),
  };
}

export function owns({ pages, variants, others }: Owned, path: string): boolean {
  const found = findPage(path);
  return found ? found.page <= pages && variants.includes(found.variant) : others.includes(path);
}

/** Paths that are owned and not of the release: what may be there and has to go. */
export function* orphans({ pages, variants, others }: Owned, files: ReleaseFiles): Generator<string> {
  for (const path of others) if (files.indexOf(path) === undefined) yield path;
  for (let page = pages; page >= 1; page--) {
    for (const variant of variants) {
      const path = pagePath(page, variant);
      if (files.indexOf(path) === undefined) yield path;
    }
  }
}

export function encodeOwned(owned: Owned): string {
  return `${JSON.stringify(owned)}\n`;
}

/** @throws UserError when the text is not of the form. */
export function parseOwned(text: string, name: string): Owned {
  const owned = parseJson(text);
  if (owned) return owned;
  throw new UserError(`${name} is not of the form that Rollcall writes; restore it, or remove it.`);
}

function parseJson(text: string): Owned | undefined {
  try {
    return ownedSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function union<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...new Set([...one, ...other])];
}
