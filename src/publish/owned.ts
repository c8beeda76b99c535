/** The list of what Rollcall owns in a target. It is kept in the target, so that no other file is ever touched. */
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { UserError } from "../errors.js";
import { findPage, SNAPSHOT, SUMS } from "../release/layout.js";
import { isPublishable, type ReleaseFiles } from "./files.js";

const ownedSchema = z.strictObject({
  rollcall: z.literal(1),
  release: z.string().regex(/^[0-9a-f]{12}$/),
  /** False from before the first change until after the last removal. */
  complete: z.boolean(),
  /** Pages 1 to this, each in all variants. */
  pages: z.int().min(0).max(999_999_999),
  variants: z.array(z.enum(["identity", "br", "gzip"])),
  others: z.array(z.string().refine(isPublishable)),
  /** Only in a bucket: the run that is at work, and a number that changes as long as it is alive. */
  run: z.strictObject({ name: z.string(), beat: z.int() }).optional(),
});

/** What Rollcall owns in a target. It does not grow with the number of pages. */
export type Owned = z.infer<typeof ownedSchema>;

/** What is owned when a target holds exactly one release. */
export function ownedBy(files: ReleaseFiles): Owned {
  const { pages, variants, others } = files.shape;
  const all = { pages, variants: [...variants], others: [...others, SUMS, SNAPSHOT] };
  return { rollcall: 1, release: files.snapshot.id, complete: true, ...all };
}

/** What is owned while one release replaces another: all files of both. */
export function ownedBetween(before: Owned | undefined, after: Owned): Owned {
  return {
    ...after,
    complete: false,
    pages: Math.max(before?.pages ?? 0, after.pages),
    variants: union(before?.variants, after.variants),
    others: union(before?.others, after.others),
  };
}

export function owns({ pages, variants, others }: Owned, path: string): boolean {
  const found = findPage(path);
  return found ? found.page <= pages && variants.includes(found.variant) : others.includes(path);
}

/** Whether a file in the target is owned but not part of the release, so that it has to be removed. */
export function isOrphan(owned: Owned, files: ReleaseFiles, path: string): boolean {
  return owns(owned, path) && files.indexOf(path) === undefined;
}

export function encodeOwned(owned: Owned): string {
  return `${JSON.stringify(owned)}\n`;
}

/** @throws UserError when the text has another form. */
export function parseOwned(text: string, name: string): Owned {
  const owned = parseAs(ownedSchema, text);
  if (owned) return owned;
  throw new UserError(`${name} is not of the form that Rollcall writes; restore it, or remove it.`);
}

function union<T>(one: readonly T[] = [], other: readonly T[]): T[] {
  return [...new Set([...one, ...other])];
}
