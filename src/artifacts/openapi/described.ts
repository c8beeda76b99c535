/** What all parts of openapi.json are made from. */
import type { Encoding } from "../../contract/headers.js";
import type { LinkStyle } from "../../contract/links.js";
import { BULK, CHANGES, EXPLORER, isPacked, LOOKUP } from "../../release/layout.js";

/** The facts about a release that openapi.json depends on. */
export interface ApiDescription {
  baseUrl: string;
  links: LinkStyle;
  encodings: readonly Encoding[];
  /** Files of the release. Only `OPTIONAL_FILES` matter. */
  files: readonly string[];
}

/** Whether it has files of which hosts send ranges: bulk parts, steps or downloads. */
export function hasRanges({ files }: ApiDescription): boolean {
  return files.some((path) => path === BULK || path === CHANGES || isPacked(path));
}

/** Whether it has sorted files (lookup or explorer). */
export function hasSorted({ files }: ApiDescription): boolean {
  return files.includes(LOOKUP) || files.includes(EXPLORER);
}

/** A JSON object of the document. */
export interface Part {
  readonly [key: string]: unknown;
}

/** A reference to a component. */
export function ref(kind: "schemas" | "headers" | "parameters" | "responses" | "examples", name: string): Part {
  return { $ref: `#/components/${kind}/${name}` };
}
