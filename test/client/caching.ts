import { createHash } from "node:crypto";
import { same, sameHeaders } from "./known.js";
import { head } from "./paths.js";
import { type Answer, header } from "./raw.js";
import type { Session } from "./session.js";

type Fields = [string, string][];

const NOT_IN_304 = ["content-type", "content-encoding", "content-language", "content-location", "accept-ranges"];

export function checkTag(session: Session, page: Answer): void {
  const tag = header(page, "etag") ?? "none";
  session.check(/^"[\x21\x23-\x7e]+"$/.test(tag), "etag", `${page.name}: ${tag} is not a strong tag`);
  const digest = createHash("sha256").update(page.body).digest();
  const starts = [digest.toString("hex"), digest.toString("base64"), digest.toString("base64url")];
  const good = starts.some((start) => tag.includes(start.slice(0, 16)));
  session.check(good, "etag", `${page.name}: ${tag} has nothing of the body's SHA-256`);
}

/** Checks that a tag gets a 304 in every form that HTTP allows, and that nothing else does. */
export async function checkConditions(session: Session, page: Answer, target: string, fields: Fields): Promise<void> {
  const tag = header(page, "etag") ?? "none";
  const naked = tag.slice(1, -1);
  const ask = (...more: Fields) => session.ask({ method: "GET", target, headers: [...fields, ...more] });
  const hits = [
    tag,
    `W/${tag}`,
    `"a", ${tag}`,
    `"a",${tag},"b"`,
    `W/"a", W/${tag}`,
    ` ${tag} `,
    "*",
    `"a,b", ${tag}`,
    `, ,${tag},`,
  ];
  hits.push(`"a"\t,\t${tag}`, `"", ${tag}`, [...Array(200).keys()].map((n) => `"${n}", `).join("") + tag);
  const misses = [
    '"nope"',
    naked,
    `"${naked}x"`,
    `"${naked.slice(0, -1)}"`,
    '"*"',
    'W/"*"',
    "",
    '""',
    `"a", "b"`,
    `'${naked}'`,
  ];
  misses.push(`"x${tag.slice(1)}`, `"${naked},b"`, `"a,${naked}"`, `w/"${naked}x"`);
  const later = "Fri, 01 Jan 2100 00:00:00 GMT";
  await Promise.all([
    ...hits.map((value) => ask(["If-None-Match", value]).then((answer) => unchanged(session, answer, page))),
    ask(["If-None-Match", '"a"'], ["If-None-Match", tag]).then((answer) => unchanged(session, answer, page)),
    ask(["If-None-Match", tag], ["If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"]).then((answer) =>
      unchanged(session, answer, page),
    ),
    ask(["If-None-Match", tag], ["Cache-Control", "no-cache"]).then((answer) => unchanged(session, answer, page)),
    ...misses.map((value) => ask(["If-None-Match", value]).then((answer) => same(session, answer, page))),
    ask(["If-None-Match", '"a"'], ["If-Modified-Since", later]).then((answer) => same(session, answer, page)),
    head(session, target, [...fields, ["If-None-Match", tag]]),
    ...["*", tag].map(async (value) => {
      session.status(await session.get("?page=0", ["If-None-Match", value]), 404);
      const post = { method: "POST", target, headers: [["If-None-Match", value] satisfies [string, string]] };
      session.status(await session.ask(post), 405);
    }),
  ]);
}

function unchanged(session: Session, answer: Answer, page: Answer): void {
  if (!session.status(answer, 304)) return;
  sameHeaders(session, answer, page, ...NOT_IN_304);
  const length = header(answer, "content-length");
  const good = length === undefined || Number(length) === page.body.length;
  session.check(good, "304", `${answer.name}: Content-Length ${length} where the page has ${page.body.length}`);
}

export async function checkRanges(session: Session, page: Answer, target: string, fields: Fields): Promise<void> {
  const size = page.body.length;
  const ask = (...more: Fields) => session.ask({ method: "GET", target, headers: [...fields, ...more] });
  const ranges: Record<string, [number, number] | undefined> = {
    "bytes=0-9": [0, 9],
    "bytes=5-": [5, size - 1],
    "bytes=-5": [size - 5, size - 1],
    [`bytes=${size - 1}-${size + 9}`]: [size - 1, size - 1],
    [`bytes=${size}-`]: undefined,
    "bytes=-0": undefined,
    "bytes=9-0": undefined,
    "bytes=abc": undefined,
    "items=0-1": undefined,
    "bytes=": undefined,
    "bytes=0-18446744073709551616": [0, size - 1],
  };
  await Promise.all([
    ...Object.entries(ranges).map(async ([range, span]) => {
      const answer = await ask(["Range", range]);
      if (answer.status === 200) same(session, answer, page);
      else if (span === undefined) session.status(answer, 200, 416);
      else if (session.status(answer, 200, 206)) {
        const [from, to] = span;
        session.expect(answer, "content-range", `bytes ${from}-${to}/${size}`);
        const good = answer.body.equals(page.body.subarray(from, to + 1));
        session.check(good, "range", `${answer.name}: other bytes than ${from} to ${to}`);
        session.expect(answer, "etag", header(page, "etag") ?? "");
      }
    }),
    ask(["Range", "bytes=0-0,2-3"]).then((answer) => {
      if (!session.status(answer, 200, 206) || answer.status === 200) return;
      const type = header(answer, "content-type");
      const good = type?.startsWith("multipart/byteranges") === true;
      session.check(good, "range", `${answer.name}: several ranges as ${type}`);
    }),
    ask(["Range", "bytes=0-9"], ["If-Range", '"nope"']).then((answer) => same(session, answer, page)),
    ask(["Range", "bytes=0-9"], ["If-None-Match", "*"]).then((answer) => unchanged(session, answer, page)),
  ]);
}
