/** `rollcall verify URL` of hosts that lie about everything: it ends, in bounded time and space, and says what is wrong. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/core/release/open.js";
import type { Verdict } from "../../src/verify/verdict.js";
import { type Front, front, type Reply } from "../support/front.js";
import { releaseOf } from "../support/served.js";
import { verdictOf } from "./verdict-of.js";

const MEBIBYTE = Buffer.alloc(2 ** 20);

/** Milliseconds for hosts that keep a verification waiting. */
const SOON = 2000;

/** The verdict on a host, compared with the release that it should serve, or on its own release. */
async function verified(one: Front, isCompared: boolean, timeoutMs = 30_000): Promise<Verdict> {
  const against = isCompared ? await openRelease(releaseOf(one.host).folder) : undefined;
  return verdictOf({ concurrency: 8, baseUrl: one.baseUrl, timeoutMs, against });
}

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const findingsOf = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name)?.findings ?? [];

/** Sends a gigabyte of zeros. */
function sendGigabyte(_: IncomingMessage, res: ServerResponse): void {
  let left = 1000;
  const more = () => {
    while (left > 0 && !res.destroyed) {
      left--;
      if (!res.write(MEBIBYTE)) return res.once("drain", more);
    }
    return res.end();
  };
  res.writeHead(200, { "Content-Type": "application/json" });
  more();
}

describe("a host that answers everything with the same", () => {
  test.each<[what: string, answer: (res: ServerResponse) => unknown, said: string, timeoutMs?: number]>([
    ["200 and JSON", (res) => res.end("{}"), "answers 200 (no Content-Type)"],
    [
      "a redirect in a circle",
      (res) => res.writeHead(302, { Location: "/a" }).end(),
      'answers a redirect (302) to "/a" instead of',
    ],
    [
      "a gigabyte of zeros",
      (res) => sendGigabyte(res.req, res),
      "answers more than the 67108864 bytes that are allowed",
    ],
    ["a byte, and then nothing", (res) => res.write(" "), "did not answer in full within 2 seconds", SOON],
  ])("%s", async (_what, answer, said, timeoutMs) => {
    const one = await front({ count: 5 });
    one.intercept((_, res) => void answer(res));
    for (const isCompared of [true, false]) await expect(verified(one, isCompared, timeoutMs)).rejects.toThrow(said);
  });

  test("200 and page 1", async () => {
    const one = await front({ count: 5 });
    let first: Reply | undefined;
    one.edit(({ url = "" }, reply) => {
      if (url === "/api/users/?format=api&page=1") first ??= reply;
      return first ? { ...first, status: 200 } : undefined;
    });
    const verdict = await verified(one, true);
    expect(differing(verdict)).toEqual(
      expect.arrayContaining([
        "same-bytes",
        "files",
        "page-0",
        "page-nul",
        "other-path",
        "hidden-file",
        "post",
        "options",
      ]),
    );
    expect(findingsOf(verdict, "same-bytes").map(({ page }) => page)).toEqual([2, 3]);
  });
});

describe("a host of which one file or page", () => {
  const FILE = /avatar\.svg/;
  const PAGE = /page=2(&v=|$)/;
  const ZEROS = "answers more than the 67108864 bytes that are allowed";
  const SLOW = "did not answer in full within 2 seconds";
  const firstByte = (_: IncomingMessage, res: ServerResponse) => void res.write(" ");

  test.each<[what: string, place: RegExp, send: typeof sendGigabyte, row: string, said: string, timeoutMs?: number]>([
    ["is a gigabyte of zeros: a page", PAGE, sendGigabyte, "pages", ZEROS],
    ["is a gigabyte of zeros: a file", FILE, sendGigabyte, "files", ZEROS],
    ["ends after its first byte: a page", PAGE, firstByte, "pages", SLOW, SOON],
    ["ends after its first byte: a file", FILE, firstByte, "files", SLOW, SOON],
  ])("%s", async (_what, place, send, row, said, timeoutMs) => {
    const one = await front({ count: 5, others: { "avatar.svg": "<svg/>" } });
    one.intercept((req, res) => (place.test(req.url ?? "") ? send(req, res) : false));
    for (const isCompared of [true, false]) {
      const verdict = await verified(one, isCompared, timeoutMs);
      expect(differing(verdict)).toEqual(expect.arrayContaining(isCompared ? [row] : [row, "download"]));
      for (const name of isCompared ? [row] : [row, "download"])
        expect(findingsOf(verdict, name)[0]?.found).toContain(said);
    }
  });
});

test("a host that breaks off each file is given up, also while its release is downloaded", async () => {
  const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`lookup/keys/${at + 1}.txt`, `${at}`]));
  const one = await front({ count: 5, others });
  one.intercept(({ url = "" }, res) => (/keys/.test(url) ? res.destroy() : false));
  await expect(verified(one, false)).rejects.toThrow("cannot be reached");
  expect(one.asked.filter((line) => line.includes("/keys/")).length).toBeLessThan(40);
});
