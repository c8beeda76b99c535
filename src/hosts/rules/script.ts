/** Reads the scripts that lie beside hosts in a host's own language, and puts in their values. */
import { readFileSync } from "node:fs";
import { BODIES, INVALID_PAGE_BODY, type Rules } from "./rules.js";

/**
 * The text of a script from its comment `global RULES` on, which is replaced by a declaration.
 * @param declaration declares `RULES` in the script's language, as `const RULES = {...};`.
 */
export function readScript(url: URL, declaration: string): string {
  const [, code = ""] = readFileSync(url, "utf8").split(/^.*\bglobal RULES\b.*\n/m);
  return `${declaration}\n${code.replace(/^export (?=(?:async )?function)/gm, "")}`;
}

/** What `RULES` holds in every script, as JSON can say it. */
export function scriptRules({ base, listing, pages, pageFolder, redirects, routes, files, families, ...rules }: Rules) {
  const { headers, preflight, page, moved, error } = rules;
  return {
    ...{ folder: `${base}/`, listing, pages, pageFolder, redirects: Object.fromEntries(redirects) },
    ...{ headers, preflight, page, moved, error, files: Object.fromEntries(files), routes: Object.fromEntries(routes) },
    families: Object.fromEntries(families.map(({ folder, ...family }) => [folder, family])),
    ...{ bodies: BODIES, invalidPage: INVALID_PAGE_BODY },
  };
}
