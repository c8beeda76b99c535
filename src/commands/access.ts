/** How a line of the access log looks. Whatever a client sent, it stays one line that its readers can read. */
import { toJson, visible } from "../print/text.js";
import type { AccessEntry, AccessGap, AccessItem } from "../server/access-log.js";

type LineForm = "words" | "json" | "combined";

/** One answer, or how many lines are missing, as a line without its end: see each form below. */
export function accessLine(item: AccessItem, form: LineForm): string {
  return "dropped" in item ? GAPS[form](item) : FORMS[form](item);
}

/** Readers of logs take a gap for the answer to a request that could not be read. */
const GAPS: Readonly<Record<LineForm, (gap: AccessGap) => string>> = {
  words: ({ time, dropped }) => `${time.toISOString()} - DROPPED ${dropped} 500 0 0.0ms -`,
  json: toJson,
  combined: ({ time, dropped }) =>
    `${UNKNOWN_CLIENT} - - [${clockOf(time)}] "-" 500 0 "-" "rollcall: ${dropped} lines dropped"`,
};

const FORMS: Readonly<Record<LineForm, (entry: AccessEntry) => string>> = { words, json, combined };

/** `2026-11-21T03:40:00.000Z 127.0.0.1 GET /v1/stations/?page=1 200 34567 1.2ms 1f6a9c0d2b7e` */
function words({ time, remote, method, url, status, bytes, ms, release }: AccessEntry): string {
  const fields = [time.toISOString(), remote, method, url, status, bytes, `${ms.toFixed(1)}ms`, release];
  // A space would shift the fields behind it.
  return fields.map((field) => visible(String(field)).replaceAll(" ", "%20") || "-").join(" ");
}

/** Without what clients say of themselves, which nobody needs to keep who did not ask for it. */
function json({ version: _version, agent: _agent, referer: _referer, ...entry }: AccessEntry): string {
  return toJson(entry);
}

/** `127.0.0.1 - - [21/Nov/2026:03:40:00 +0000] "GET /v1/stations/?page=1 HTTP/1.1" 200 34567 "-" "curl/8.0"` */
function combined({ time, remote, method, url, version, agent, referer, status, bytes }: AccessEntry): string {
  const request = version === "" ? "-" : `${escaped(method)} ${escaped(url, MOST.url)} HTTP/${version}`;
  const [from, by] = [referer, agent].map((text) => escaped(text, MOST.header) || "-");
  return `${clientOf(remote)} - - [${clockOf(time)}] "${request}" ${status} ${bytes} "${from}" "${by}"`;
}

/** goaccess reads 4,095 bytes of a line, and takes what follows for another one. */
const MOST = { url: 2_400, header: 700 } as const;

/** Readers of the form want an address, without the interface of a link-local one. */
function clientOf(remote: string): string {
  return remote.replace(/%.*/s, "") || UNKNOWN_CLIENT;
}

/** The address of no machine. */
const UNKNOWN_CLIENT = "0.0.0.0";

/** `21/Nov/2026:03:40:00 +0000` */
function clockOf(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}

/**
 * As nginx writes it: a byte that is a quote, a backslash or no visible ASCII becomes `\\x` and two digits.
 * @param most characters that may come of it; what is longer ends in three dots.
 */
function escaped(text: string, most = Number.POSITIVE_INFINITY): string {
  const whole = text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, (character) => {
    // Node reads requests byte by byte, so that a character is one; what a program hands over may have others.
    const bytes = Buffer.from(character, character <= "\xff" ? "latin1" : "utf8")
      .toString("hex")
      .toUpperCase();
    return bytes.replace(/../g, "\\x$&");
  });
  return whole.length <= most ? whole : `${whole.slice(0, most - 3).replace(/\\(?:x[0-9A-F]?)?$/, "")}...`;
}
