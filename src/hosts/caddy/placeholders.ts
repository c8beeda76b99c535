/** What the answers are made from: maps from a request to a file of the release, its coding and its tag. */
import { ENCODINGS } from "../../contract/headers.js";
import { type Deployment, tagsOf } from "../rules/deployment.js";
import { pathsOfFamilies } from "../rules/families.js";
import { DIGITS, encodingPatterns, PAGE_NUMBER, QUERY } from "../rules/patterns.js";
import { decodePath } from "../rules/rules.js";
import { caddyMap, caddyPattern, caddyWord, group, letters } from "./language.js";

/** Caddy computes each from the request as it came, when something uses it. */
export function placeholders(deployment: Deployment): string[] {
  const { key, base, listing, redirects, pages, pageFolder, files, routes, families, encodings } = deployment;
  const path = (text: string) => letters(decodePath(text).toString());
  const file = (number: string) => caddyWord(`${pageFolder}/${number}.json{${key}_suffix}`);
  // A row that begins with a tilde would be a pattern.
  const before = pageFolder.startsWith("~") ? "=" : "";
  return [
    ...caddyMap("{http.request.orig_uri.query}", `${key}_page`, "1", [
      [caddyPattern(QUERY.twice), "none"],
      [caddyPattern(QUERY.page), caddyWord(DIGITS.map(group).join(""))],
      [caddyPattern(QUERY.empty), "1"],
      [caddyPattern(QUERY.other), "none"],
    ]),
    ...caddyMap("{http.request.header.Accept-Encoding}", `${key}_suffix`, '""', [
      ...encodingPatterns(encodings).map(
        (each) => [caddyPattern(`(?i)${each.pattern}`), caddyWord(each.suffix)] as const,
      ),
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_number`, "none", [
      [caddyPattern(`^${path(pages)}(${PAGE_NUMBER})\\.json$`), caddyWord(group(1))],
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_of_family`, "none", [
      [caddyPattern(`^${path(`${base}/`)}(${pathsOfFamilies(families)})$`), caddyWord(group(1))],
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_kind`, "none", [
      [caddyPattern(`^${path(listing)}$`), "listing"],
      [caddyPattern(`^${path(pages)}[^/]*\\.json$`), "page"],
      ...[...redirects.keys()].map((bare, at) => [caddyPattern(`^${path(bare)}$`), `bare${at}`] as const),
      ...families.map(
        ({ folder, names }) => [caddyPattern(`^${path(`${base}/`)}${folder}/${names}$`), folder] as const,
      ),
      ...[...routes].map(([route, name]) => [caddyPattern(`^${path(route)}$`), name] as const),
    ]),
    ...caddyMap(`{${key}_kind}`, `${key}_file`, "none", [
      ["listing", file(`{${key}_page}`)],
      ["page", file(`{${key}_number}`)],
      ...families.map(({ folder }) => [folder, caddyWord(`{${key}_of_family}`)] as const),
      ...[...files.keys()].map((name) => [name, name] as const),
    ]),
    ...caddyMap(`{${key}_file}`, `${key}_coding`, "none", [
      ...encodings.map((name) => [caddyPattern(`\\.json\\${ENCODINGS[name]}$`), name] as const),
    ]),
    "# The files of the release, each with its digest.",
    ...caddyMap(`${before}{${key}_file}`, `${key}_tag`, "none", [
      ...[...tagsOf(deployment)].map(([name, tag]) => [`${before}${name}`, caddyWord(tag)] as const),
    ]),
  ];
}
