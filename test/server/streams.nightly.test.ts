/** 2,000 random streams of requests, half of them on the fast path first and half by Node's parser alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFiles } from "../support/files.js";
import { type Random, SEED, seeded } from "../support/random.js";
import { pause } from "../support/time.js";
import { until } from "../support/until.js";
import { parseAnswers } from "./raw-answers.js";
import { closed, open, type Running, serving } from "./running.js";
import { makeStream, type Stream } from "./streams.js";

const STREAMS = Number(process.env["STREAMS"] ?? 2_000);
const AT_ONCE = 8;
const PAGES = 40;
const FILES = ["SHA256SUMS", "snapshot.json", "avatar.png"];
/** At this request the fast path gives the connection to Node's server. */
const AWAY = "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n";

test(`whatever clients send, all that is complete is answered whole, seed ${SEED}`, {
  timeout: 600_000,
}, async () => {
  const others = { "avatar.png": "an avatar ".repeat(60_000) };
  const shape = {
    count: PAGES,
    pageSize: 1,
    bio: "long ".repeat(2_000),
    encodings: ["gzip" as const],
    others,
  };
  const running = await serving(shape, { cacheMb: 0.2 });
  let begun = 0;
  const client = async () => {
    while (begun < STREAMS) {
      const isAway = begun % 2 === 1;
      const random = seeded(SEED * STREAMS + begun++);
      await play(running, makeStream(random, { pages: PAGES, files: FILES }), isAway, random);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await until(() => openFiles(running.server.release.folder, "rollcall-").length === 0);
  expect(running.lines).toEqual([]);
});

async function play({ port, server }: Running, stream: Stream, isAway: boolean, random: Random): Promise<void> {
  const { packets, closes, manner, rests } = stream;
  const answers = isAway ? [{ method: "OPTIONS", status: 204 }, ...stream.answers] : stream.answers;
  const socket = open(port);
  socket.setNoDelay();
  const chunks: Buffer[] = [];
  let heard = 0;
  const methods = answers.map(({ method }) => method);
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    heard += chunk.length;
    if (heard < rests || heard - chunk.length >= rests) return;
    socket.pause();
    void pause(30).then(() => socket.resume());
  });
  const ended = closed(socket);
  for (const packet of isAway ? [AWAY, ...packets] : packets) {
    if (random.next() < 0.3) await pause(2);
    if (socket.writable) socket.write(Buffer.from(packet, "latin1"));
  }
  if (manner === "leaves") {
    await pause(random.next() * 10);
    socket.resetAndDestroy();
    return;
  }
  const parse = () => parseAnswers(Buffer.concat(chunks), methods);
  if (manner === "half-closes") socket.end();
  else if (!closes) {
    await until(() => socket.closed || parse().answers.length >= answers.length);
    socket.end();
  }
  await Promise.race([ended, pause(60_000)]);
  const parsed = parse();
  const told = JSON.stringify({ isAway, manner, rests, packets });
  expect(
    parsed.answers.map(({ status }) => status),
    told,
  ).toEqual(answers.map(({ status }) => status));
  expect(parsed.rest.length, told).toBe(0);
  expect(socket.closed, told).toBe(true);
  for (const [at, { file, method }] of answers.entries()) {
    if (!file || method === "HEAD") continue;
    const bytes = readFileSync(join(server.release.folder, file));
    expect(parsed.answers[at]?.body.equals(bytes), `${file} of ${told}`).toBe(true);
  }
}
