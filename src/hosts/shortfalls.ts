/** What a host cannot do, each with the probe that would show it and the reason, as measured. Nowhere else is anything let pass. */

/** Host (or one of its forms) -> probe -> why. */
export const SHORTFALLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nginx: {
    "encoding-order":
      "Regular expressions do not compare q-values: br goes before gzip, and both before the plain page",
    "method-case": "Its parser answers 400 to a method in lowercase letters, and to CONNECT",
    "repeated-condition": "Its parser answers 400 to a second line of If-None-Match",
  },
  apache: {
    "encoding-order":
      "Regular expressions do not compare q-values: br goes before gzip, and both before the plain page",
    "head-of-errors": "It says no Content-Length for HEAD of an error or a redirect",
    "options-of-server": "It answers OPTIONS * before any configuration is asked",
  },
  "apache .htaccess": {
    "etag-digest":
      "A .htaccess has no map: the tags are Apache's own SHA-1 of the bytes, strong and equal on every machine",
    malformed: "What its parser refuses is answered before any .htaccess is read",
    trace: "TraceEnable can only be said by the server",
  },
  caddy: {
    "encoding-order":
      "Regular expressions do not compare q-values: br goes before gzip, and both before the plain page",
    malformed: "Go's parser answers by itself what it refuses: text/plain, without headers",
    "options-of-server": "Go answers OPTIONS * by itself",
    "http-1.0": "Go answers HTTP/1.0 with HTTP/1.0",
  },
};
