/** Which lines of the independent client's report a limitation explains. */

const MALFORMED =
  /^[^:]+: (?:(?:GET|HEAD) \S*(?:%|[^ -~])|empty lines first|GET with a body|GET in chunks|absolute target|websocket|HTTP\/1\.0 without a Host : 400|two Hosts|no Host|no such version|no version|HTTP\/2|TLS|space in the target|bad header name|NUL in a header|length that is none|two lengths|bad chunk|unknown expectation|long header|long target|many headers|GET (?:\/\/|\/\\|\/\.\.|\/%2e))/;

const PROBES: Readonly<Record<string, RegExp>> = {
  "encoding-order": /^encoding: .*\[Accept-Encoding: (?:br;q=0\.5, gzip;q=1|gzip;q=0\.5, identity;q=1)\]/,
  "method-case": /^[^:]+: (?:get|Get) \S*: (?:400|501)\b/,
  "repeated-condition": /^status: .*\[.*If-None-Match: "a" \| If-None-Match: .*: (?:400|200), expected 304$/,
  "head-of-errors": /^HEAD: .*: Content-Length undefined, the body has/,
  "options-of-server": /^[^:]+: OPTIONS \*: /,
  "http-1.0": /^status: HTTP\/1\.0[^:]*: 0, expected 200$/,
  malformed: MALFORMED,
  "method-unknown": /^[^:]+: (?![gG]et )[A-Za-z-]+ \S*: 501\b/,
  "length-required": /^[^:]+: (?:POST|PUT) \S*(?: \[.*\])?: 411\b/,
  etag: /^etag: .* has nothing of the body's SHA-256$/,
  trace: /^[^:]+: TRACE /,
  connect: /^[^:]+: CONNECT /,
  "head-coded":
    /^etag: .*\[Accept-Encoding: .* has the plain page's tag$|^HEAD: .*\[Accept-Encoding: (?:gzip|br)|\[Accept-Encoding: \S*;q=0[^\]]*\]: 415/,
};

/** Whether the client can see a limitation; only `rollcall verify` sees the others. */
export function isOfClient(name: string): boolean {
  return Object.hasOwn(PROBES, name);
}

/** The lines that no limitation explains, and the limitations that explain some. */
export function explain(
  lines: readonly string[],
  allowed: readonly string[],
): { unexplained: string[]; used: Set<string> } {
  const used = new Set<string>();
  const unexplained = lines.filter((line) => {
    if (/^[\w -]+: \d+ more of this kind$/.test(line)) throw new Error("Lines were left out.");
    const probe = allowed.find((name) => PROBES[name]?.test(line));
    if (probe !== undefined) used.add(probe);
    return probe === undefined;
  });
  return { unexplained, used };
}
