/** What a host cannot do, each with the probe that would show it and the reason, as measured. Nowhere else is anything let pass. */

/** Host (or one of its forms) -> probe -> why. */
const ORDER = "Regular expressions do not compare q-values: br goes before gzip, and both before the plain page";
const UNKNOWN = "It answers 501 to a method that it does not know";

/** The same reason for every check of `rollcall verify` that sees it. */
function each(why: string, ...probes: string[]): Record<string, string> {
  return Object.fromEntries(probes.map((probe) => [probe, why]));
}

const BY_QUERY = [
  ...["no-page", "empty-page", "page-alone", "other-parameters", "encoded-page", "accept"],
  ...["missing-slash", "missing-slash-query"],
];
const METHODS = ["options", "preflight", "post", "put", "patch", "delete", "trace", "propfind"];
const ITS_404 = ["invalid-page", "error-caching", "error-detail"];
const CONDITIONS = ["not-modified", "not-modified-weak", "not-modified-list", "not-modified-any"];
const VARY = ["vary", "error-vary", "br-vary", "gzip-vary"];
const SPACE = "It writes the list in Vary without a space: Accept,Accept-Encoding";

export const LIMITATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nginx: {
    "encoding-order": ORDER,
    "method-case": "Its parser answers 400 to a method in lowercase letters, and to CONNECT",
    "repeated-condition": "Its parser answers 400 to a second line of If-None-Match",
  },
  apache: {
    ...each(SPACE, ...VARY),
    "encoding-order": ORDER,
    "head-of-errors": "It says no Content-Length for HEAD of an error or a redirect",
    "options-of-server": "It answers OPTIONS * before any configuration is asked",
  },
  "apache .htaccess": {
    ...each(SPACE, ...VARY),
    etag: "A .htaccess has no map: tags are Apache's own SHA-1 of the bytes, strong and equal on every machine",
    "snapshot-id":
      "In a release it cannot name the id, which is made of its files; rollcall adapt apache writes one that does",
    "encoding-order": ORDER,
    "head-of-errors": "It says no Content-Length for HEAD of an error or a redirect",
    "options-of-server": "It answers OPTIONS * before any configuration is asked",
    "etag-digest":
      "A .htaccess has no map: tags are Apache's own SHA-1 of the bytes, strong and equal on every machine",
    malformed: "What its parser refuses is answered before any .htaccess is read",
    trace: "TraceEnable can only be said by the server",
    connect: "CONNECT names no path, so no .htaccess is asked",
  },
  caddy: {
    "encoding-order": ORDER,
    malformed: "Go's parser answers by itself what it refuses: text/plain, without headers",
    "options-of-server": "Go answers OPTIONS * by itself",
    "http-1.0": "Go answers HTTP/1.0 with HTTP/1.0",
  },
  lighttpd: {
    malformed: "What its parser refuses is answered before the script is asked",
    "method-unknown": UNKNOWN,
    "http-1.0": "It answers HTTP/1.0 with HTTP/1.0",
    "repeated-condition": "Its script is given the first line of If-None-Match only",
    "length-required": "It answers 411 to a POST or PUT without a length",
    "head-of-errors": "It says no Content-Length for HEAD of a redirect",
  },
  haproxy: {
    "encoding-order": ORDER,
    malformed: "What its parser refuses is answered before any rule is asked",
  },
  cloudflare: {
    ...each("It compresses on the way, and not by the release's files: Vary says Accept", "br-vary", "gzip-vary"),
    ...each("It compresses on the way, under the tag of the plain page", "br-tag", "gzip-tag"),
    compressed: "It compresses on the way, under the tag of the plain page, and HEAD says the plain length",
    malformed: "What its parser refuses is answered before the Worker is asked",
    "method-unknown": UNKNOWN,
    "options-of-server": "OPTIONS * has no URL, so no Worker is asked",
    connect: "CONNECT has no URL, so no Worker is asked",
  },
  netlify: {
    "head-length": "Its engine sends bodies as they come, and says Content-Length: 0 of HEAD",
    trace: "A request of its engine cannot be TRACE, so no function is asked",
  },
  firebase: {
    ...each("It maps no query and has no listing, only pages by path", ...BY_QUERY),
    ...each("It answers every method as GET, with the file and 200", ...METHODS),
    ...each("Its 404 is a page of its own, with the headers of pages", ...ITS_404),
    etag: "Its tags are its own, without the quotes that a tag has",
    ...each("Its server of files compares no tags", ...CONDITIONS),
  },
};
