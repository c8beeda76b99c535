/** Formats lines of the access log. Untrusted text is escaped, so that each entry is one line. */
import { toJson } from "../../core/print/text.js";
import type { AccessEntry, AccessGap, AccessItem } from "../../serve/access-log.js";

type LineForm = "json" | "combined";

/** Formats an answer, or a count of dropped lines, as a line without its newline. */
export function accessLine(item: AccessItem, form: LineForm): string {
  return "dropped" in item ? GAPS[form](item) : FORMS[form](item);
}

/** Dropped lines are written as answers with status 500, which log analysers can read. */
const GAPS: Readonly<Record<LineForm, (gap: AccessGap) => string>> = {
  json: toJson,
  combined: ({ time, dropped }) =>
    `${UNKNOWN_CLIENT} - - [${clfTime(time)}] "-" 500 0 "-" "rollcall: ${dropped} lines dropped"`,
};

const FORMS: Readonly<Record<LineForm, (entry: AccessEntry) => string>> = { json, combined };

/** JSON without referer and user agent, which only `combined` logs. */
function json({ version: _version, agent: _agent, referer: _referer, ...entry }: AccessEntry): string {
  return toJson(entry);
}

/** `127.0.0.1 - - [21/Nov/2026:03:40:00 +0000] "GET /v1/stations/?page=1 HTTP/1.1" 200 34567 "-" "curl/8.0"` */
function combined({ time, remote, method, url, version, agent, referer, status, bytes }: AccessEntry): string {
  const request = version === "" ? "-" : `${escaped(method)} ${escaped(url, MAX_LENGTHS.url)} HTTP/${version}`;
  const [from, by] = [referer, agent].map((text) => escaped(text, MAX_LENGTHS.header) || "-");
  return `${clientOf(remote)} - - [${clfTime(time)}] "${request}" ${status} ${bytes} "${from}" "${by}"`;
}

/** Maximum lengths of fields: goaccess reads 4,095 bytes of a line. */
const MAX_LENGTHS = { url: 2_400, header: 700 } as const;

/** The client's address without the interface of a link-local one, as log analysers expect. */
function clientOf(remote: string): string {
  return remote.replace(/%.*/s, "") || UNKNOWN_CLIENT;
}

const UNKNOWN_CLIENT = "0.0.0.0";

/** `21/Nov/2026:03:40:00 +0000` */
function clfTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}

/**
 * Escapes as nginx does: a quote, a backslash and any byte outside visible ASCII become `\\x` and two digits.
 * @param most maximum length of the result; a longer one ends in three dots.
 */
function escaped(text: string, most = Number.POSITIVE_INFINITY): string {
  const whole = text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, (character) => {
    // Node decodes requests as latin1. Text from programs may have characters beyond it.
    const bytes = Buffer.from(character, character <= "\xff" ? "latin1" : "utf8")
      .toString("hex")
      .toUpperCase();
    return bytes.replace(/../g, "\\x$&");
  });
  return whole.length <= most ? whole : `${whole.slice(0, most - 3).replace(/\\(?:x[0-9A-F]?)?$/, "")}...`;
}
