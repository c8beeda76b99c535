/** The maps of http { }. Every variable has the release's key, so nginx refuses them together with the rules of another release. */
import { ENCODINGS } from "../../contract/headers.js";
import { type Deployment, tagsOf } from "../rules/deployment.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, QUERY } from "../rules/patterns.js";
import { BODIES, decodePath, INVALID_PAGE_BODY, type Rules } from "../rules/rules.js";
import { headerVariable, nginxMap, nginxPattern, quoteNginx } from "./language.js";

/** Maps from a request to a file of the release and its headers. */
export function maps(deployment: Deployment): string[] {
  const { key, base, listing, pages, encodings, files, routes, families, page, error, moved, preflight } = deployment;
  const path = (text: string) => literal(decodePath(text));
  const file = (name: string) => `"${nameOfPages(deployment)}/${name}.json$${key}_suffix"`;
  const empty = '""';
  const text = (value: string) => quoteNginx(value, key);
  const cachings = [...files].filter(([, { "Cache-Control": caching }]) => caching !== page["Cache-Control"]);
  return [
    "# A dollar sign; nginx has no escape for it.",
    `geo $${key}_dollar { default "$"; }`,
    "",
    "# The page that the query asks for; empty when there is no such page.",
    ...nginxMap("$args", `${key}_page`, "1", [
      [nginxPattern(QUERY.twice), empty],
      [nginxPattern(QUERY.page), DIGITS.map((group) => `$${group}`).join("")],
      [nginxPattern(QUERY.empty), "1"],
      [nginxPattern(QUERY.other), empty],
    ]),
    ...nginxMap("$http_accept_encoding", `${key}_suffix`, empty, [
      ...encodingPatterns(encodings).map((each) => [nginxPattern(each.pattern, "~*"), text(each.suffix)] as const),
    ]),
    "# The path of the requested file in the release, whether it exists or not.",
    ...nginxMap("$uri", `${key}_file`, empty, [
      [nginxPattern(`^${path(listing)}$`), file(`$${key}_page`)],
      [nginxPattern(`^${path(pages)}(?<${key}_number>${PAGE_NUMBER})\\.json$`), file(`$${key}_number`)],
      ...[...routes].map(([route, name]) => [nginxPattern(`^${path(route)}$`), text(name)] as const),
      ...families.map(({ folder, names }, at) => {
        const group = `${key}_family${at}`;
        return [nginxPattern(`^${path(`${base}/`)}(?<${group}>${folder}/${names})$`), `$${group}`] as const;
      }),
    ]),
    ...nginxMap("$uri", `${key}_missing`, text(BODIES[404]), [
      [nginxPattern(`^${path(listing)}(?:pages/[^/]*\\.json)?$`), text(INVALID_PAGE_BODY)],
    ]),
    "# 1 when the reader already has these bytes.",
    ...nginxMap(`"$${key}_tag $http_if_none_match"`, `${key}_fresh`, "0", [
      [nginxPattern('^("\\w+") .*\\1'), "1"],
      [nginxPattern('^"\\w+" [ \\t]*\\*[ \\t]*$'), "1"],
    ]),
    ...nginxMap(
      "$status",
      `${key}_etag`,
      empty,
      [200, 304].map((status) => [`${status}`, `$${key}_tag`]),
    ),
    ...nginxMap(`"$status $${key}_file"`, `${key}_coding`, empty, [
      ...encodings.map((name) => [nginxPattern(`^(?:200|304) .*\\.json\\${ENCODINGS[name]}$`), name] as const),
    ]),
    ...nginxMap(`$${key}_file`, `${key}_file_cache`, text(page["Cache-Control"]), [
      ...cachings.map(([name, { "Cache-Control": caching }]) => [text(name), text(caching)] as const),
    ]),
    ...nginxMap("$status", `${key}_cache`, text(error["Cache-Control"]), [
      ["200", `$${key}_file_cache`],
      ["304", `$${key}_file_cache`],
      ["301", text(moved["Cache-Control"])],
      ["204", empty],
    ]),
    ...Object.entries(preflight).flatMap(([name, value]) =>
      nginxMap("$status", headerVariable(name, key), empty, [["204", text(value)]]),
    ),
    ...[...furtherHeaders(deployment)].flatMap(([name, values]) =>
      nginxMap(
        `"$status $${key}_file"`,
        headerVariable(name, key),
        empty,
        values.map(([file, value]) => [nginxPattern(`^(?:200|304) ${literal(file)}$`), text(value)] as const),
      ),
    ),
  ];
}

/** Headers that only some files have, and what each of these files has: besides its type and how long it is kept, which all have. */
export function furtherHeaders({ files }: Pick<Rules, "files">): Map<string, [file: string, value: string][]> {
  const found = new Map<string, [string, string][]>();
  for (const [file, { "Content-Type": _type, "Cache-Control": _caching, ...further }] of files)
    for (const [name, value] of Object.entries(further)) found.set(name, [...(found.get(name) ?? []), [file, value]]);
  return found;
}

/** The files of the release, each with its digest. */
export function tagMap(deployment: Deployment): string[] {
  const [folder, name] = [`${deployment.pageFolder}/`, `${nameOfPages(deployment)}/`];
  const nameOf = (path: string) => (path.startsWith(folder) ? name + path.slice(folder.length) : path);
  const tags = [...tagsOf(deployment)].map(([path, tag]) => [nameOf(path), `'${tag}'`] as const);
  return [
    "",
    `# The ${tags.length} files of the release, each with its digest.`,
    ...nginxMap(`$${deployment.key}_file`, `${deployment.key}_tag`, '""', tags),
    "",
  ];
}

/**
 * What the pages' folder is called in the maps. A map refuses a name of more than 46 bytes unless the server's own
 * settings allow it, and takes one that begins with a tilde for a pattern.
 */
export function nameOfPages({ pageFolder }: Pick<Rules, "pageFolder">): string {
  const longest = 46 - "/999999999.json.br".length;
  return pageFolder.length > longest || pageFolder.startsWith("~") ? "pages" : pageFolder;
}
