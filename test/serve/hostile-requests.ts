/** Makes hostile requests at random, the same ones for the same seed. */
import type { Random } from "../support/random.js";

/** The bytes to send on one connection, as latin1. */
export interface Hostile {
  name: string;
  text: string;
  /** The number of expected responses. The other bytes are not requests. */
  answers: number;
}

/** A dozen well-formed requests with evil content, pipelined on one connection. */
export function pipelined(random: Random, size: number): Hostile {
  const requests = Array.from({ length: size }, () => {
    const method = random.next() < 0.9 ? "GET" : random.of(METHODS);
    return `${method} ${target(random)} HTTP/1.1\r\nHost: ${random.of(HOSTS)}\r\n${header(random)}\r\n`;
  });
  return { name: "pipelined", text: requests.join(""), answers: size };
}

/** Bytes that are not HTTP, or that smuggle a second request, for a separate connection. */
export function broken(random: Random): Hostile {
  const [name, make] = random.of(BROKEN);
  return { name, text: make(random), answers: 1 };
}

const METHODS = ["OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "SEARCH", "PURGE", "QUERY", "MKCOL"];
const HOSTS = ["a", "127.0.0.1", "evil.example:99999", "../../etc", "[::1]", "a,b", "%00", ""];

const PAGES = [
  "0 -1 01 +1 %201 1.0 1e9 abc %D9%A3 999999999 NaN 1,2 %00 1%0d%0aX:y 'OR+1=1-- ../../../etc/passwd $%7B7*7} {{7*7}}",
  `${"9".repeat(400)} <script> %EF%BC%91 1%2500 0x1 1&page=2 &page=&page 1&p%61ge=1 1&page[]=2`,
].flatMap((some) => some.split(" "));
const UPWARDS = [
  ".. %2e%2e %2E. .%2e ..%2f ..%5c ..\\ %252e%252e %c0%ae%c0%ae %uff0e%uff0e ..; ..%00 ....// %2e%2e%2f .%00. ..%c0%af",
  "..%252f ./.. %5c..%5c ..%09",
].flatMap((some) => some.split(" "));
const GOALS = [
  "etc/passwd canary.txt ../canary.txt releases/canary.txt proc/self/environ snapshot.json SHA256SUMS users.sqlite",
  "current/snapshot.json api/users/pages/1.json canary.txt%00.json canary.txt;.json ",
].flatMap((some) => some.split(" "));
const ROOTS = "/ // /api/users/ /api/users/pages/ /api/users/pages/1.json/ /snapshot.json/ /./ /C:/ /~/ /%2f".split(
  " ",
);

function target(random: Random): string {
  return random.of(TARGETS)(random);
}

const TARGETS: readonly ((random: Random) => string)[] = [
  (random) => `/api/users/?format=api&page=${random.of(PAGES)}`,
  (random) => `/api/users/pages/${random.of(PAGES)}.json`,
  (random) => `/api/users?${encoded(random, 60)}`,
  (random) => `/api/users/?${encoded(random, 200)}`,
  (random) => `${random.of(ROOTS)}${`${random.of(UPWARDS)}/`.repeat(random.below(12))}${random.of(GOALS)}`,
  (random) =>
    `${random.of(ROOTS)}${Array.from({ length: random.below(8) }, () => random.of(UPWARDS)).join("/")}/${random.of(GOALS)}`,
  (random) =>
    `http://${random.of(["evil.example", "127.0.0.1:1", "u:p@x", "%00"])}/${random.of(UPWARDS)}/${random.of(GOALS)}`,
  (random) => `https://evil.example/api/users?${encoded(random, 20)}`,
  (random) => `/${encoded(random, 80)}`,
  (random) => `/api/users/?page=1&x=${"A".repeat(random.below(12_000))}`,
  (random) => `/${"a/".repeat(random.below(5_000))}`,
  (random) => `/api/users/pages/${"9".repeat(random.below(5_000))}.json`,
];

/** One header line, or none. */
function header(random: Random): string {
  return random.next() < 0.5 ? "" : random.of(HEADERS)(random);
}

const HEADERS: readonly ((random: Random) => string)[] = [
  (random) => `If-None-Match: ${'"x",'.repeat(random.below(1_000))}\r\n`,
  () => "If-None-Match: *\r\n",
  (random) => `Accept-Encoding: ${"br;q=0.1,".repeat(random.below(500))}*;q=${random.next()}\r\n`,
  (random) => `Accept-Encoding: ${printable(random, 100)}\r\n`,
  (random) =>
    `Range: bytes=${random.below(99)}-${random.below(9)},-${random.below(9)},${"0-1,".repeat(random.below(200))}\r\n`,
  (random) => `Accept: ${printable(random, 50)}\r\nContent-Type: ${printable(random, 20)}\r\n`,
  (random) => `Cookie: ${"a=b; ".repeat(random.below(500))}\r\n`,
  () => "X-Forwarded-For: 127.0.0.1\r\nX-Original-URL: /canary.txt\r\nX-HTTP-Method-Override: DELETE\r\n",
  () => "__proto__: x\r\nconstructor: y\r\ntoString: z\r\n",
  (random) => `X-${random.below(9)}: \x80\xff\xfe\r\n`,
  (random) => "X: y\r\n".repeat(random.below(300)),
  () => "Content-Length: 0\r\n",
  () => "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT\r\nCache-Control: no-cache\r\n",
];

const HIDDEN = "GET /canary.txt HTTP/1.1\r\nHost: hidden\r\n\r\n";
const start = (method = "GET", path = "/api/users/") => `${method} ${path} HTTP/1.1\r\nHost: a\r\n`;

/** Each gets one response, and the connection closes: a smuggled request must get none. */
const BROKEN: readonly [name: string, make: (random: Random) => string][] = [
  [
    "length and chunks",
    () => `${start("POST")}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  ],
  ["chunks and length", () => `${start()}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`],
  [
    "two lengths",
    (random) => `${start("POST")}Content-Length: ${random.below(9)}\r\nContent-Length: 44\r\n\r\n${HIDDEN}`,
  ],
  ["a list of lengths", () => `${start("POST")}Content-Length: 44, 44\r\n\r\n${HIDDEN}`],
  [
    "a strange length",
    (random) =>
      `${start()}Content-Length: ${random.of(["+5", "-1", "0x5", "5 5", "1e1", "9".repeat(40), "5;", "\x0b5"])}\r\n\r\n${HIDDEN}`,
  ],
  [
    "a strange coding",
    (random) =>
      `${start("POST")}Transfer-Encoding: ${random.of(["xchunked", "chunked, identity", "identity, chunked", "\x0bchunked", "chunked\r\nTransfer-Encoding: x"])}\r\n\r\n0\r\n\r\n${HIDDEN}`,
  ],
  ["a space before the colon", () => `${start()}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  [
    "a body that is a request",
    (random) => `${start(random.of(["GET", "POST", "HEAD"]))}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  ],
  [
    "bad chunks",
    (random) =>
      `${start("POST")}Transfer-Encoding: chunked\r\n\r\n${random.of(["zz", "-1", "0x5", "ffffffffffffffffff", "5;\x00", "1\n", "\r\n"])}\r\n${HIDDEN}`,
  ],
  [
    "a chunk extension without end",
    (random) => `${start("POST")}Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(random.below(40_000))}${HIDDEN}`,
  ],
  ["a folded header", () => `${start()}X: a\r\n ${HIDDEN}`],
  ["a folded length", () => `${start("POST")}Content-Length:\r\n 5\r\n\r\nhello${HIDDEN}`],
  ["bare line feeds", () => `GET /api/users/ HTTP/1.1\nHost: a\n\n${HIDDEN}`],
  ["a bare carriage return", () => `${start()}X: a\rY: b\r\n\r\n${HIDDEN}`],
  ["no colon", () => `${start()}nonsense\r\n\r\n${HIDDEN}`],
  ["an empty name", () => `${start()}: x\r\n\r\n${HIDDEN}`],
  ["a NUL", (random) => withByte(random, `${start()}X: y\r\n`, "\0")],
  ["a control", (random) => withByte(random, "GET /api/users/ ", String.fromCharCode(1 + random.below(8)))],
  ["no Host", () => `GET /api/users/ HTTP/1.1\r\nConnection: close\r\n\r\n`],
  [
    "a strange version",
    (random) =>
      `GET / HTTP/${random.of(["9.9", "1.2.3", "1", "2.0", "0.9", "", "1.1x", "-1.1", "3.0"])}\r\n\r\n${HIDDEN}`,
  ],
  ["no version", () => "GET /api/users/\r\n\r\n"],
  [
    "an invented method",
    (random) =>
      `${random.of(["BREW", "get", "GETS", "G", "FOO-BAR", "_", "X".repeat(300)])} / HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  ],
  ["no method", () => ` / HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`],
  [
    "CONNECT",
    (random) => `CONNECT ${random.of(["127.0.0.1:22", "a", "[::1]:443"])} HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  ],
  [
    "an upgrade",
    (random) =>
      `${start()}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${random.of(["h2c", "websocket", "x"])}\r\n\r\n${HIDDEN}`,
  ],
  [
    "a wish",
    (random) => `${start()}Expect: ${random.of(["x", "200-ok", "100-continue, x", printable(random, 20)])}x\r\n\r\n`,
  ],
  ["a body that waits", () => `${start("POST")}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`],
  [
    "other bytes in the target",
    (random) => `GET /${String.fromCharCode(128 + random.below(127))} HTTP/1.1\r\n\r\n${HIDDEN}`,
  ],
  ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"],
  ["TLS", (random) => `\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03${noise(random, 200)}`],
  ["noise", (random) => `\x01${noise(random, 400)}`],
  ["a huge header", (random) => `${start()}X: ${"x".repeat(17_000 + random.below(60_000))}\r\n\r\n${HIDDEN}`],
  [
    "a huge target",
    (random) => `GET /${"x".repeat(17_000 + random.below(60_000))} HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  ],
  ["many headers", (random) => `${start()}${"X-Y: z\r\n".repeat(5_000 + random.below(5_000))}\r\n${HIDDEN}`],
  ["half a request", (random) => start().slice(0, 1 + random.below(30))],
];

function noise(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.below(256))).join("");
}

function printable(random: Random, length: number): string {
  return Array.from({ length: 1 + random.below(length) }, () => String.fromCharCode(33 + random.below(94))).join("");
}

/** Any URL text: printable characters and percent-encoded bytes, valid or invalid. */
function encoded(random: Random, length: number): string {
  return Array.from({ length: random.below(length) }, () =>
    random.next() < 0.5 ? `%${random.below(256).toString(16).padStart(2, "0")}` : printable(random, 1),
  ).join("");
}

function withByte(random: Random, text: string, byte: string): string {
  const at = random.below(text.length);
  return `${text.slice(0, at)}${byte}${text.slice(at)}\r\n`;
}
