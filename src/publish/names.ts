/** Names in a target: which are Rollcall's own, and which may be written or removed at all. */

/** Every file that Rollcall keeps in a target for itself begins so; a release has none such. */
const OWN_PREFIX = ".rollcall-";

/** The list of what Rollcall owns in a target. */
export const OWNED = `${OWN_PREFIX}published.json`;

/** In a bucket: the entity tags of its objects. */
export const TAGS = `${OWN_PREFIX}tags`;

/** What a file is called while it is written. */
export function asideName(name: string): string {
  return `${OWN_PREFIX}new-${name}`;
}

/** Whether a killed run may have left a file of this name. */
export function isAside(name: string): boolean {
  return name.startsWith(asideName(""));
}

/**
 * Whether a path with `/` stays below the target and is nobody else's: no part leads up or away, `.git` belongs to
 * whoever publishes by git, and Rollcall's own files are no release's.
 */
export function isPublishable(path: string): boolean {
  const parts = path.split("/");
  return (
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase()) && !part.startsWith(OWN_PREFIX))
  );
}
