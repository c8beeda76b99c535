/** The envelope and its canonical text: keys sorted, one record a line, one final newline (contract part 2). */
import { type LinkStyle, pageUrl } from "./links.js";
import type { User } from "./user.js";

/** One envelope as published. */
export interface Page {
  /** Users in the whole collection, the same on every page. */
  count: number;
  next: string | null;
  previous: string | null;
  results: User[];
}

/** Where a page stands: all that its envelope says besides the users. */
export interface PagePosition {
  page: number;
  pages: number;
  count: number;
  baseUrl: string;
  links: LinkStyle;
}

/** The canonical text of a page whose users are canonical texts already. */
export function encodePage({ page, pages, count, baseUrl, links }: PagePosition, records: string[]): string {
  const link = (to: number) => (to < 1 || to > pages ? "null" : JSON.stringify(pageUrl(baseUrl, links, to)));
  const results = records.length === 0 ? "[]" : `[\n${records.join(",\n")}\n]`;
  return `{"count":${count},"next":${link(page + 1)},"previous":${link(page - 1)},"results":${results}}\n`;
}
