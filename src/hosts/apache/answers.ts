/** What a virtual host and a .htaccess answer alike besides the bodies: error pages, and headers by status. */
import { ENCODINGS, ERROR_DETAILS, type ErrorStatus, errorBody } from "../../contract/headers.js";
import { SNAPSHOT } from "../../release/layout.js";
import { pathsOfFamilies } from "../rules/families.js";
import { literal } from "../rules/patterns.js";
import { BODIES, type Headers, type Rules } from "../rules/rules.js";
import { redirectName } from "./rewrite.js";

/** The statuses that Apache answers with an HTML page of its own, and the contract's error that replaces it. */
const ERROR_PAGES: readonly [statuses: readonly number[], answer: ErrorStatus][] = [
  [[400, 401, 403, 411, 412, 421, 422, 426, 501, 505], 400],
  [[408], 408],
  [[413], 413],
  [[416], 416],
  [[417], 417],
  [[414, 431], 431],
  [[500, 502, 503, 504, 507], 500],
];

/** Removed from requests: Apache would compare them with times and sizes, which do not change with the bytes. */
const CONDITIONS = ["If-Modified-Since", "If-Unmodified-Since", "If-Match"];

/** @param refusal the URL's path of the body of a 405, which Apache would send with a second Allow if it were a text here. */
export function writeAnswers(rules: Rules, refusal: string): string[] {
  const { headers, preflight, error, encodings } = rules;
  return [
    ...ERROR_PAGES.flatMap(([statuses, answer]) =>
      statuses.map((status) => `ErrorDocument ${status} ${quoteApache(BODIES[answer])}`),
    ),
    refusalPage(refusal),
    ...writeRedirects(rules),
    `SetEnvIf Request_URI ^ ${quoteApache(`ROLLCALL_DETAIL=${ERROR_DETAILS[404]}`)}`,
    `ErrorDocument 404 ${quoteApache(errorBody("%{reqenv:ROLLCALL_DETAIL}"))}`,
    "",
    "# Headers that Apache sets itself are removed first.",
    ...["Allow", "Vary", "Last-Modified", "Content-Encoding"].map((name) => `Header onsuccess unset ${name}`),
    `Header onsuccess unset Accept-Ranges "expr=!(${isLarge(rules)})"`,
    ...set(headers),
    ...set(preflight, "%{REQUEST_STATUS} == '204'"),
    ...set(error, "%{REQUEST_STATUS} -ge 400"),
    ...writeFileHeaders(rules),
    ...encodings.flatMap((name) =>
      set({ "Content-Encoding": name }, `${endsIn(`\\.json\\${ENCODINGS[name]}`)} && ${FOUND}`),
    ),
    ...CONDITIONS.map((name) => `RequestHeader unset ${name}`),
    ...["Range", "If-Range"].map((name) => `RequestHeader unset ${name} "expr=!(${isLarge(rules)})"`),
    "# A part or a step is no coding of another file.",
    "<IfModule mod_mime.c>",
    "  RemoveEncoding .br .gz",
    "  # Nor is a page in Breton.",
    "  RemoveLanguage .br",
    "</IfModule>",
    "SetEnv no-gzip 1",
    "SetEnv no-brotli 1",
  ];
}

/** The answers that differ between two listings of one virtual host. */
export function writeOwnAnswers(rules: Rules, refusal: string): string[] {
  return [refusalPage(refusal), ...writeRedirects(rules), ...set(rules.headers), ...writeFileHeaders(rules)];
}

function refusalPage(refusal: string): string {
  return `ErrorDocument 405 ${quoteApache(refusal)}`;
}

/**
 * Where redirects lead to: a path alone. Apache puts the client's Host into its own Location, which no directive can change
 * unless another request gives the body.
 */
function writeRedirects({ base, redirects }: Rules): string[] {
  return [
    `ErrorDocument 301 ${quoteApache(`${base.replaceAll("$", "%24")}/${SNAPSHOT}`)}`,
    ...[...redirects].map(
      ([bare, to]) =>
        `Header onsuccess set Location ${quoteApache(`${formatted(to)}%{REDIRECT_ROLLCALL_QUERY}e`)} "expr=%{REQUEST_STATUS} == '301' && reqenv('REDIRECT_ROLLCALL_MOVED') == '${redirectName(base, bare)}'"`,
    ),
  ];
}

/** How long answers are kept, and what only some files have; their types are said where they are found. */
function writeFileHeaders({ page, files }: Rules): string[] {
  const caching = page["Cache-Control"];
  return [
    ...set({ "Cache-Control": caching }, "%{REQUEST_STATUS} -in {'200', '301', '304'}"),
    ...[...files].flatMap(([name, { "Content-Type": _, ...own }]) => {
      const others = Object.entries(own).filter(([header, value]) => header !== "Cache-Control" || value !== caching);
      return set(Object.fromEntries(others), `${endsIn(literal(`/${name}`))} && ${FOUND}`);
    }),
  ];
}

/** The condition for answers that have a file's headers. */
export const FOUND = "%{REQUEST_STATUS} -in {'200', '304'}";

function endsIn(pattern: string): string {
  return `%{REQUEST_FILENAME} =~ m#${pattern}$#`;
}

/** The condition for files that are so large that they are resumed. */
export function isLarge({ families }: Rules): string {
  return endsIn(`/${pathsOfFamilies(families.filter((family) => family.hasRanges))}`);
}

function set(headers: Headers, condition?: string): string[] {
  const when = condition === undefined ? "" : ` "expr=${condition}"`;
  return Object.entries(headers).map(
    ([name, value]) => `Header always set ${name} ${quoteApache(formatted(value))}${when}`,
  );
}

/** A value of a header, of which Apache reads percent signs and backslashes. */
function formatted(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("%", "%%");
}

/** A value of a directive. */
export function quoteApache(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
