/** What all parts of openapi.json are made from. */
import type { Encoding } from "../../../core/contract/headers.js";
import type { LinkStyle } from "../../../core/contract/links.js";
import type { View } from "../../../core/contract/views.js";
import { BULK, CHANGES, isPacked } from "../../../core/release/layout.js";

/** The facts about a release that openapi.json depends on. */
export interface ApiDescription {
  baseUrl: string;
  links: LinkStyle;
  encodings: readonly Encoding[];
  /** Files of the release. Only `OPTIONAL_FILES` matter. */
  files: readonly string[];
  /** The views of the listing; none at the top of a site. */
  views?: readonly View[];
  /** Whether the listing is one of several of a site. */
  isInSite?: boolean;
}

/** Whether it has files of which hosts send ranges: bulk parts, steps or the CSV file. */
export function hasRanges({ files }: ApiDescription): boolean {
  return files.some((path) => path === BULK || path === CHANGES || isPacked(path));
}

/** A JSON object of the document. */
export interface JsonPart {
  readonly [key: string]: unknown;
}

/** A reference to a component. */
export function ref(kind: "schemas" | "headers" | "parameters" | "responses", name: string): JsonPart {
  return { $ref: `#/components/${kind}/${name}` };
}
