/**
 * Reads pages until its stdin ends, half of the time on new connections, and prints what came: for each kind of answer, how
 * often. A line on stdin is the id that answers to new connections must have from then on; any will do after "-".
 */
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";

const [baseUrl, pages, readers] = process.argv.slice(2);
const CODINGS = ["identity", "gzip", "br"];
const kept = new Agent({ keepAlive: true });
const seen = new Map();
const tags = new Map();
let wanted;
let isOver = false;

process.stdin.setEncoding("utf8").on("data", (text) => {
  wanted = text.trim().split("\n").at(-1);
  process.stdout.write(`${JSON.stringify({ wanted })}\n`);
});
process.stdin.on("end", () => {
  isOver = true;
});

function ask(url, headers, agent) {
  return new Promise((resolve) => {
    const asked = request(url, { headers, agent }, (answer) => {
      const hash = createHash("sha256");
      answer.on("data", (part) => hash.update(part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, digest: hash.digest("hex") }),
      );
      answer.on("error", (error) => resolve({ failed: `broken off: ${error.code}` }));
    });
    asked.on("error", (error) => resolve({ failed: error.code }));
    asked.end();
  });
}

function count(kind) {
  const key = JSON.stringify(kind);
  seen.set(key, (seen.get(key) ?? 0) + 1);
}

async function read(start) {
  for (let at = start; !isOver; at++) {
    const page = 1 + (at % Number(pages));
    const coding = CODINGS[at % CODINGS.length];
    const isByPath = at % 5 === 0;
    const path = isByPath ? `/api/users/pages/${page}.json` : `/api/users/?format=api&page=${page}`;
    const known = at % 2 ? tags.get(`${page} ${coding}`) : undefined;
    const headers = { "Accept-Encoding": coding, ...(known && { "If-None-Match": known }) };
    const agent = at % 4 < 2 ? kept : new Agent();
    const must = agent === kept || wanted === "-" ? undefined : wanted;
    const { failed, status, headers: got, digest } = await ask(baseUrl + path, headers, agent);
    if (agent !== kept) agent.destroy();
    if (failed) {
      // A server may close an idle connection in the moment in which a request is sent on it; HTTP clients ask again.
      if (agent !== kept) count({ failed });
      continue;
    }
    const tag = got.etag;
    if (status === 200) tags.set(`${page} ${coding}`, tag);
    const isWhole = status !== 200 || tag === `"${digest}"`;
    const isStale = must !== undefined && got["snapshot-id"] !== must;
    // A 304 need not name the coding; it is the one that the tag was asked for.
    const stored = status === 304 ? coding : got["content-encoding"];
    count({ status, id: got["snapshot-id"], page, coding: stored, tag, isWhole, isStale });
  }
}

await Promise.all(Array.from({ length: Number(readers) }, (_, reader) => read(reader * 7)));
kept.destroy();
process.stdout.write(
  `${JSON.stringify({ answers: [...seen].map(([kind, times]) => ({ ...JSON.parse(kind), times })) })}\n`,
);
