/** What all parts of openapi.json are made from. */
import type { Encoding } from "../../../core/contract/headers.js";
import type { LinkStyle } from "../../../core/contract/links.js";
import type { View } from "../../../core/contract/views.js";
import { BULK, CHANGES, CSV, PARQUET } from "../../../core/release/layout.js";

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

/** Whether it has gzip files: bulk parts, steps or the CSV file. */
export function hasGzip({ files }: ApiDescription): boolean {
  return [BULK, CHANGES, CSV].some((path) => files.includes(path));
}

/** Whether it has files of which hosts send ranges: gzip files or the Parquet file. */
export function hasRanges(described: ApiDescription): boolean {
  return hasGzip(described) || described.files.includes(PARQUET);
}

/** A JSON object of the document. */
export interface JsonPart {
  readonly [key: string]: unknown;
}

/** A reference to a component. */
export function ref(kind: "schemas" | "headers" | "parameters" | "responses", name: string): JsonPart {
  return { $ref: `#/components/${kind}/${name}` };
}
