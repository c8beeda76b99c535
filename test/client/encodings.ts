import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Known, same, sameHeaders } from "./known.js";
import { type Answer, header } from "./raw.js";
import type { Session } from "./session.js";

/** The encodings that are right for each Accept-Encoding. If `br` and `gzip` are equally good, `br` is. */
const CHOICES: [string, string[]][] = [
  ["", ["identity"]],
  ["identity", ["identity"]],
  ["zstd, deflate, compress", ["identity"]],
  ["gzip", ["gzip"]],
  ["br", ["br"]],
  ["GZIP", ["gzip"]],
  ["Br", ["br"]],
  ["gzip;q=0", ["identity"]],
  ["br;q=0, gzip;q=0", ["identity"]],
  ["gzip ; q=0.000", ["identity"]],
  ["br ; q = 0", ["identity"]],
  ["br\t;\tQ\t=\t0.0, gzip", ["gzip"]],
  ["gzip;Q=0", ["identity"]],
  ["br;q=0.5, gzip;q=1", ["gzip"]],
  ["gzip;q=0.5, br;q=1.0", ["br"]],
  ["gzip;q=0.8,br;q=0.9,identity;q=0.1", ["br"]],
  ["gzip;q=0.5, identity;q=1", ["identity"]],
  ["identity;q=0, gzip", ["gzip"]],
  ["identity;q=0, br;q=0.1", ["br"]],
  ["br;q=0, *", ["gzip", "identity"]],
  ["gzip;q=0, *", ["br", "identity"]],
  ["gzip, *;q=0", ["gzip"]],
  ["br;q=0.001, *;q=0", ["br"]],
  ["zstd;q=1, gzip;q=0.5, br;q=0", ["gzip"]],
  ["*", ["br", "gzip", "identity"]],
  ["gzip, deflate, br, zstd", ["br", "gzip"]],
  ["gzip,,  ,br;q=0", ["gzip"]],
];

export async function checkEncodings(session: Session, known: Known): Promise<void> {
  const made = new Set(["identity"]);
  for (const coding of session.vary === "Accept, Accept-Encoding" ? ["br", "gzip"] : []) {
    const answer = await session.get("?format=api&page=1", ["Accept-Encoding", coding]);
    made.add(header(answer, "content-encoding") ?? "identity");
  }
  session.check(made.size > 1 || session.vary === "Accept", "vary", `${session.vary}, but nothing is compressed`);
  await Promise.all(
    CHOICES.map(async ([accept, choice]) => {
      const wanted = choice.filter((coding) => made.has(coding));
      const answer = await session.get("?format=api&page=1", ["Accept-Encoding", accept]);
      decoded(session, answer, known.first);
      if (wanted.length === 0) return;
      const coding = header(answer, "content-encoding") ?? "identity";
      session.check(wanted.includes(coding), "encoding", `${answer.name}: ${coding}, expected ${wanted.join(" or ")}`);
    }),
  );
  const halves: [string, string][] = [
    ["Accept-Encoding", "gzip;q=0"],
    ["Accept-Encoding", "br;q=0"],
  ];
  same(session, await session.get("?format=api&page=1", ...halves), known.first);
  // Nothing suits; either refusing or sending the plain page is right.
  for (const accept of ["*;q=0", "identity;q=0", "identity;q=0, *;q=0"]) {
    const answer = await session.get("?format=api&page=1", ["Accept-Encoding", accept]);
    if (session.status(answer, 200, 406) && answer.status === 200) decoded(session, answer, known.first);
  }
}

/** That an answer is `page`, however it is encoded, under a tag of its own. */
export function decoded(session: Session, answer: Answer, page: Answer): void {
  const coding = header(answer, "content-encoding");
  if (coding === undefined) {
    same(session, answer, page);
    return;
  }
  if (!session.status(answer, 200)) return;
  sameHeaders(session, answer, page, "etag", "content-encoding");
  const tag = header(answer, "etag") ?? "none";
  session.check(/^"[\x21\x23-\x7e]+"$/.test(tag), "etag", `${answer.name}: ${tag} is not a strong tag`);
  session.check(tag !== header(page, "etag"), "etag", `${answer.name}: ${coding} has the plain page's tag`);
  const body = decode(coding, answer.body);
  session.check(body?.equals(page.body) === true, "encoding", `${answer.name}: ${coding} is not the page's bytes`);
}

function decode(coding: string, body: Buffer): Buffer | undefined {
  try {
    return coding === "gzip" ? gunzipSync(body) : coding === "br" ? brotliDecompressSync(body) : undefined;
  } catch {
    return undefined;
  }
}
