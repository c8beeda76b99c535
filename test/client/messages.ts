import { type Known, same } from "./known.js";
import type { Session } from "./session.js";

/** Requests of unusual form, and some that are not HTTP. */
export async function checkMessages(session: Session, known: Known): Promise<void> {
  const target = `${session.listing}?format=api&page=1`;
  const { host } = session.origin;
  const request = (...lines: string[]) => [...lines, "Connection: close", "", ""].join("\r\n");
  const line = `GET ${target} HTTP/1.1`;
  const fine: Record<string, string> = {
    "absolute target": request(`GET http://${host}${target} HTTP/1.1`, `Host: ${host}`),
    "other host name": request(line, "Host: example.org"),
    "HTTP/1.0": request(`GET ${target} HTTP/1.0`, `Host: ${host}`),
    "HTTP/1.0 without a Host": request(`GET ${target} HTTP/1.0`),
    "empty lines first": `\r\n\r\n${request(line, `Host: ${host}`)}`,
    "100-continue": request(line, `Host: ${host}`, "Expect: 100-continue"),
    "GET with a body": `${request(line, `Host: ${host}`, "Content-Length: 3")}abc`,
    "GET in chunks": `${request(line, `Host: ${host}`, "Transfer-Encoding: chunked")}3\r\nabc\r\n0\r\n\r\n`,
    websocket: `${line}\r\nHost: ${host}\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    "header names in capitals": request(line, `HOST: ${host}`, "ACCEPT: text/html", "X-HTTP-METHOD-OVERRIDE: DELETE"),
  };
  const faulty: Record<string, string> = {
    "no Host": request(line),
    "two Hosts": request(line, `Host: ${host}`, "Host: example.org"),
    "no such version": request(`GET ${target} HTTP/9.9`, `Host: ${host}`),
    "no version": `GET ${target}\r\n\r\n`,
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    TLS: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "space in the target": request(`GET ${target} x HTTP/1.1`, `Host: ${host}`),
    "bad header name": request(line, `Host: ${host}`, "Bad Name: x"),
    "NUL in a header": request(line, `Host: ${host}`, "X-Name: a\0b"),
    "length that is none": request(line, `Host: ${host}`, "Content-Length: abc"),
    "two lengths": `${request(line, `Host: ${host}`, "Content-Length: 3", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    "bad chunk": `${request(line, `Host: ${host}`, "Transfer-Encoding: chunked")}zz\r\n`,
    "unknown expectation": request(line, `Host: ${host}`, "Expect: nothing"),
    "long header": request(line, `Host: ${host}`, `X-Long: ${"x".repeat(20_000)}`),
    "long target": request(`GET ${target}&x=${"x".repeat(20_000)} HTTP/1.1`, `Host: ${host}`),
    "many headers": request(line, `Host: ${host}`, ...Array.from({ length: 5000 }, (_, at) => `X-${at}: 1`)),
  };
  await Promise.all([
    ...Object.entries(fine).map(async ([name, verbatim]) => {
      const answer = await session.provoke(name, verbatim);
      same(session, answer, known.first);
    }),
    // What these are answered is left open; that every error is JSON with all headers is not.
    ...Object.entries(faulty).map(([name, verbatim]) => session.provoke(name, verbatim)),
  ]);
}
