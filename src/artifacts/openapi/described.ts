/** What all parts of the description are made of. */
import type { Encoding } from "../../contract/headers.js";
import type { LinkStyle } from "../../contract/links.js";
import { BULK, CHANGES, EXPLORER, isPacked, LOOKUP } from "../../release/layout.js";

/** What a release is, as far as its description says it. */
export interface Described {
  baseUrl: string;
  links: LinkStyle;
  encodings: readonly Encoding[];
  /** Those of the release's files that not every release has, see `OPTIONAL_FILES`; others do not matter. */
  files: readonly string[];
}

/** Whether it has files of which hosts send ranges: parts, steps or downloads. */
export function hasRanges({ files }: Described): boolean {
  return files.some((path) => path === BULK || path === CHANGES || isPacked(path));
}

/** Whether it has sorted files, by which records are found. */
export function hasSorted({ files }: Described): boolean {
  return files.includes(LOOKUP) || files.includes(EXPLORER);
}

/** A part of the document. */
export interface Part {
  readonly [key: string]: unknown;
}

/** Leads to a part that has a name and is used by several others. */
export function ref(kind: "schemas" | "headers" | "parameters" | "responses" | "examples", name: string): Part {
  return { $ref: `#/components/${kind}/${name}` };
}
