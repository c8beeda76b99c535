/** What of a release does not go with a host: made in vain, or out of its reach. */
import type { Snapshot } from "../release/snapshot.js";
import type { Adapter } from "./rules/adapter.js";

/** A sentence for each, with the way out. */
export function unsupportedFeatures(
  { title, claims, siblings, compresses }: Adapter,
  { encodings, links }: Pick<Snapshot, "encodings" | "links">,
): string[] {
  const notes: string[] = [];
  const vain = encodings.filter((encoding) => !siblings.includes(encoding));
  if (vain.length > 0) {
    const why = compresses ? "compresses by itself" : "does not choose among files";
    notes.push(`${title} ${why}: files in ${vain.join(" and ")} lie there in vain; build without --compress`);
  }
  if (claims.query === "no" && links === "query")
    notes.push(`${title} cannot map ?page=N, which the links of this release have; build with --links path`);
  return notes;
}
