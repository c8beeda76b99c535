/** The HTTP client of `verify URL`: unmodified responses, limits of bytes, time and rate, and errors. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { UserError } from "../../../src/core/errors.js";
import { type AskOptions, createAsker } from "../../../src/verify/url/ask.js";
import { front } from "../../support/front.js";
import { freePort } from "../../support/ports.js";

function asker(options: Partial<AskOptions> = {}) {
  const made = createAsker({ concurrency: 8, ...options });
  onTestFinished(() => made.close());
  return made;
}

const send =
  (body: string | Buffer, status = 200, headers = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, headers).end(body);

async function answering(answer: (res: ServerResponse) => unknown) {
  const one = await front();
  one.intercept((_req, res) => answer(res));
  return one;
}

describe("incomplete and malformed responses", () => {
  test.each<[string, (res: ServerResponse) => unknown, RegExp]>([
    [
      "a body cut short",
      (res) => void res.writeHead(200, { "Content-Length": "1000" }).write("{", () => res.destroy()),
      /broke off its answer before the end of the body\.$/,
    ],
    ["what is not HTTP", (res) => void res.socket?.end("SSH-2.0-OpenSSH_9.6\r\n"), /answered what is not HTTP/],
    ["silence", () => {}, /did not answer in full within 2 seconds\.$/],
    ["silence after the first byte", (res) => res.write(" "), /did not answer in full within 2 seconds\.$/],
    [
      "no end",
      (res) => {
        const more = () => {
          res.write(" ");
          if (!res.destroyed) setImmediate(more);
        };
        more();
      },
      /did not answer in full within 2|more than the 100000 bytes/,
    ],
    ["too much", send(Buffer.alloc(100_001)), /answers more than the 100000 bytes that are allowed\.$/],
    [
      "a small body that is a large one compressed",
      send(gzipSync(Buffer.alloc(10_000_000)), 200, { "Content-Encoding": "gzip" }),
      /answers more than the 100000 bytes that are allowed\.$/,
    ],
    ["a wait without end", send("", 503, { "Retry-After": "86400" }), /asks to wait 86400 seconds.* --rate\.$/],
  ])("%s", async (_what, answer, message) => {
    const { baseUrl } = await answering(answer);
    const error = await asker({ timeoutMs: 2000 })
      .ask(baseUrl, { maxBytes: 100_000 })
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(UserError);
    expect((error as Error).message).toMatch(message);
  });

  test("a host that cannot be reached", async () => {
    await expect(asker().ask(`http://127.0.0.1:${await freePort()}/`)).rejects.toThrow(
      "cannot be reached: the connection was refused; check the address, and that the host runs.",
    );
  });
});

test("a larger limit of bytes gives a slow host no more time", async () => {
  const { baseUrl } = await answering((res) => res.write(" "));
  await expect(asker({ timeoutMs: 2000 }).ask(baseUrl, { maxBytes: 2 ** 40 })).rejects.toThrow(
    "did not answer in full within 2 seconds",
  );
});

test("a body that does not match its Content-Encoding has a flaw", async () => {
  for (const [coding, flaw] of [
    ["gzip", "says Content-Encoding: gzip, which its body is not"],
    ["zstd", "has a Content-Encoding that was not asked for, zstd"],
  ] as const) {
    const { baseUrl } = await answering(send("{}", 200, { "Content-Encoding": coding }));
    expect(await asker().ask(baseUrl)).toMatchObject({ status: 200, flaw });
  }
});

test("reopens a kept connection that the host has closed", async () => {
  const one = await front();
  let answered = 0;
  one.intercept((req, res) => {
    if (++answered % 2 === 0 && req.socket.bytesRead > 400) req.socket.destroy();
    else res.end("{}");
  });
  const { ask } = asker({ concurrency: 1 });
  for (let question = 0; question < 10; question++) expect((await ask(one.baseUrl)).status).toBe(200);
});

test("retries after Retry-After, and limits the rate of requests", async () => {
  const one = await front();
  let refusals = 2;
  one.intercept((_req, res) => (refusals-- > 0 ? res.writeHead(503, { "Retry-After": "0" }).end() : false));
  const made = asker({ rate: 1000 });
  expect((await made.ask(`${one.baseUrl}/api/users/`)).status).toBe(200);
  expect([one.asked.length, made.requests]).toEqual([3, 3]);
});

test("an abort ends a request with the signal's reason", async () => {
  const control = new AbortController();
  const { baseUrl } = await answering(() => control.abort(new Error("enough")));
  await expect(asker({ signal: control.signal }).ask(baseUrl)).rejects.toThrow("enough");
});
