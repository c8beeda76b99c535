/** What Rollcall owns in a target: the list that is kept there, so that it never touches what is not its own. */
import { z } from "zod";
import { UserError } from "../errors.js";
import { parseAs } from "../release/json.js";
import { findPage, SNAPSHOT, SUMS } from "../release/layout.js";
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
  /** In a bucket, the run that is at work: its name, and a number that moves as long as it lives. */
  run: z.strictObject({ name: z.string(), beat: z.int() }).optional(),
});

/** Never longer for more pages: who published pages 1 to N owns all that are named so. */
export type Owned = z.infer<typeof ownedSchema>;

/** What a target that holds a release and nothing more of Rollcall's owns. */
export function ownedBy(files: ReleaseFiles): Owned {
  const { pages, variants, others } = files.shape;
  const all = { pages, variants: [...variants], others: [...others, SUMS, SNAPSHOT] };
  return { rollcall: 1, release: files.snapshot.id, complete: true, ...all };
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

/** Whether a path that is there is owned and not of the release: then it has to go. */
export function isOrphan(owned: Owned, files: ReleaseFiles, path: string): boolean {
  return owns(owned, path) && files.indexOf(path) === undefined;
}

export function encodeOwned(owned: Owned): string {
  return `${JSON.stringify(owned)}\n`;
}

/** @throws UserError when the text is not of the form. */
export function parseOwned(text: string, name: string): Owned {
  const owned = parseAs(ownedSchema, text);
  if (owned) return owned;
  throw new UserError(`${name} is not of the form that Rollcall writes; restore it, or remove it.`);
}

function union<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...new Set([...one, ...other])];
}
