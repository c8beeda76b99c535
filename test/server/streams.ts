/** What a client may send on one connection, well-formed and not, and what has to come back: endless and seeded. */
import type { Random } from "../support/random.js";

interface Expected {
  method: string;
  status: number;
  /** Path of the file whose bytes are the body; undefined where it is not compared. */
  file?: string;
}

export interface Stream {
  /** In packets, as latin1. */
  packets: string[];
  answers: Expected[];
  /** The last of `answers` says that it closes the connection; otherwise the client does. */
  closes: boolean;
  /** What the client does with its side: keeps it until all is there, closes it, or is gone before the answers are. */
  manner: "stays" | "half-closes" | "leaves";
  /** Bytes after which the client stops reading for a moment. */
  rests: number;
}

export interface Known {
  pages: number;
  files: readonly string[];
}

interface Step {
  text: string;
  answer: Expected;
}

export function makeStream(random: Random, known: Known): Stream {
  const steps = Array.from({ length: upTo(random, 24) }, () => pick(random, STEPS)(random, known));
  const ending = random.next() < 0.5 ? pick(random, ENDINGS)(random, known) : undefined;
  const all = ending ? [...steps, ending] : steps;
  const trailing = ending && random.next() < 0.5 ? steps.map(({ text }) => text).join("") : "";
  const text = all.map((step) => step.text).join("") + trailing;
  const draw = random.next();
  return {
    packets: cut(random, text),
    answers: all.map(({ answer }) => answer),
    closes: ending !== undefined,
    manner: draw < 0.15 ? "leaves" : draw < 0.5 ? "half-closes" : "stays",
    rests: random.next() < 0.3 ? upTo(random, 2_000_000) : Number.POSITIVE_INFINITY,
  };
}

type Make = (random: Random, known: Known) => Step;

const LISTING = "/api/users/";
const ask = (target: string, answer: Partial<Expected>, headers = "", version = "1.1"): Step => {
  const { method = "GET", status = 200, ...rest } = answer;
  const text = `${method} ${target} HTTP/${version}\r\nHost: a\r\n${headers}\r\n`;
  return { text, answer: { method, status, ...rest } };
};
const pageFile = (page: number) => `api/users/pages/${page}.json`;
const anyPage = (random: Random, { pages }: Known) => 1 + upTo(random, pages);

const plainPage: Make = (random, known) => {
  const page = anyPage(random, known);
  return ask(`${LISTING}?${random.next() < 0.5 ? "format=api&" : ""}page=${page}`, { file: pageFile(page) });
};
const otherPage: Make = (random, known) => {
  const page = anyPage(random, known);
  return ask(`${LISTING}?page=${page}&x=${upTo(random, 9)}`, { file: pageFile(page) });
};
const otherFile: Make = (random, { files }) => {
  const file = pick(random, files);
  return ask(`/${file}`, { file });
};

const STEPS: readonly Make[] = [
  ...[plainPage, plainPage, plainPage, otherPage, otherFile],
  (random, known) => {
    const page = anyPage(random, known);
    return ask(`${LISTING}pages/${page}.json`, { file: pageFile(page) });
  },
  (random, known) => {
    const page = anyPage(random, known);
    return ask(`${LISTING}?page=${page}`, { file: `${pageFile(page)}.gz` }, "Accept-Encoding: gzip\r\n");
  },
  (random, known) => ask(`${LISTING}?page=${anyPage(random, known)}`, { status: 304 }, "If-None-Match: *\r\n"),
  (random, { files }) => ask(`/${pick(random, files)}`, { status: 304 }, "If-None-Match: *\r\n"),
  (random, known) => ask(`${LISTING}?page=${anyPage(random, known)}`, { method: "HEAD" }),
  (random, { files }) => ask(`/${pick(random, files)}`, { method: "HEAD" }),
  (random) => ask(LISTING, { method: "OPTIONS", status: 204 }, `X: ${"y".repeat(upTo(random, 3_000))}\r\n`),
  (random) => ask(LISTING, { method: pick(random, ["DELETE", "PURGE", "PATCH"]), status: 405 }),
  () => ask(LISTING, { method: "POST", status: 405 }, "Content-Length: 0\r\n"),
  (random, { pages }) => ask(`${LISTING}?page=${pages + 1 + upTo(random, 99)}`, { status: 404 }),
  () => ask("/nothing", { status: 404 }),
  (random, known) => {
    const step = plainPage(random, known);
    return { ...step, text: `\r\n${step.text}` };
  },
];

/** After each of these the server closes the connection. */
const ENDINGS: readonly Make[] = [
  (random, known) => {
    const page = anyPage(random, known);
    return ask(`${LISTING}?page=${page}`, { file: pageFile(page) }, "Connection: close\r\n");
  },
  (random, { files }) => {
    const file = pick(random, files);
    return ask(`/${file}`, { file }, "Connection: close\r\n");
  },
  (random, { files }) => {
    const file = pick(random, files);
    return ask(`/${file}`, { file }, "", "1.0");
  },
  () => ask("a:1", { method: "CONNECT", status: 405 }),
  (random, { files }) => {
    const file = pick(random, files);
    return ask(`/${file}`, { file }, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  },
  (random) => {
    const step = ask(LISTING, { method: "POST", status: 405 }, "Content-Length: 100\r\n");
    return { ...step, text: step.text + "x".repeat(upTo(random, 101)) };
  },
  (random) => ask("/pot", { method: pick(random, ["BREW", "GETX", "G", "get"]), status: 405 }),
  () => ({ text: "GET / HTTP/1.1\r\nHost : a\r\n\r\n", answer: { method: "GET", status: 400 } }),
  () => ({ text: "\x16\x03\x01\x02\0\x01", answer: { method: "", status: 400 } }),
];

/** In one packet, in a few, or in many. */
function cut(random: Random, text: string): string[] {
  const parts = pick(random, [1, 1, 3, 20]);
  const places = Array.from({ length: parts - 1 }, () => upTo(random, text.length + 1));
  const ends = [...places, text.length].sort((one, other) => one - other);
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)).filter((packet) => packet !== "");
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[upTo(random, items.length)] as Item;
}

/** 0 to below `limit`. */
function upTo(random: Random, limit: number): number {
  return Math.floor(random.next() * limit);
}
