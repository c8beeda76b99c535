/** What Apache says beside the body, whether a virtual host or a .htaccess asks: headers that follow the status. */
import { ENCODINGS, ERROR_DETAILS, type ErrorStatus, errorBody } from "../../contract/headers.js";
import { literal } from "../rules/patterns.js";
import { BODIES, type Headers, type Rules } from "../rules/rules.js";

/** Statuses that Apache has pages of its own for, in HTML, and what they say instead. */
const TROUBLE: readonly [statuses: readonly number[], answer: ErrorStatus][] = [
  [[400, 401, 403, 411, 412, 416, 421, 422, 426, 501, 505], 400],
  [[408], 408],
  [[413], 413],
  [[417], 417],
  [[414, 431], 431],
  [[500, 502, 503, 504, 507], 500],
];

/** What time and size say nothing of. */
const CONDITIONS = ["Range", "If-Range", "If-Modified-Since", "If-Unmodified-Since", "If-Match"];

/** @param refusal the path of a URL that holds the body of a 405; as a text it would come with a second Allow. */
export function writeAnswers(rules: Rules, refusal: string): string[] {
  const { headers, preflight, page, error, files, encodings } = rules;
  return [
    ...TROUBLE.flatMap(([statuses, answer]) =>
      statuses.map((status) => `ErrorDocument ${status} ${quoteApache(BODIES[answer])}`),
    ),
    `ErrorDocument 405 ${quoteApache(refusal)}`,
    `SetEnvIf Request_URI ^ ${quoteApache(`ROLLCALL_DETAIL=${ERROR_DETAILS[404]}`)}`,
    `ErrorDocument 404 ${quoteApache(errorBody("%{reqenv:ROLLCALL_DETAIL}"))}`,
    "",
    "# What Apache says of itself goes first.",
    ...["Allow", "Vary", "Last-Modified", "Accept-Ranges", "Content-Encoding"].map(
      (name) => `Header onsuccess unset ${name}`,
    ),
    ...set(headers),
    ...set(preflight, "%{REQUEST_STATUS} == '204'"),
    ...set(error, "%{REQUEST_STATUS} -ge 400"),
    ...set({ "Cache-Control": page["Cache-Control"] ?? "" }, "%{REQUEST_STATUS} -in {'200', '301', '304'}"),
    ...[...files]
      .filter(([, own]) => own["Cache-Control"] !== page["Cache-Control"])
      .flatMap(([name, own]) =>
        set({ "Cache-Control": own["Cache-Control"] }, `${endsIn(literal(`/${name}`))} && ${FOUND}`),
      ),
    ...encodings.flatMap((name) =>
      set({ "Content-Encoding": name }, `${endsIn(`\\.json\\${ENCODINGS[name]}`)} && ${FOUND}`),
    ),
    'Header always edit Location "^[a-z]+://[^/]+" ""',
    ...CONDITIONS.map((name) => `RequestHeader unset ${name}`),
    "SetEnv no-gzip 1",
    "SetEnv no-brotli 1",
  ];
}

/** The status of whatever has a file's headers. */
export const FOUND = "%{REQUEST_STATUS} -in {'200', '304'}";

function endsIn(pattern: string): string {
  return `%{REQUEST_FILENAME} =~ m#${pattern}$#`;
}

function set(headers: Headers, condition?: string): string[] {
  const when = condition === undefined ? "" : ` "expr=${condition}"`;
  return Object.entries(headers).map(
    ([name, value]) =>
      `Header always set ${name} ${quoteApache(value.replaceAll("\\", "\\\\").replaceAll("%", "%%"))}${when}`,
  );
}

/** A value of a directive. */
export function quoteApache(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
