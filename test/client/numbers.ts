import { type Known, same } from "./known.js";
import { isRecord, json, type Session } from "./session.js";

const utf8 = (value: string) => Buffer.from(value).toString("latin1");

const NO_PAGES = [
  ..."0 -1 01 +1 %2B1 %201 1%20 1+ 1.0 1. .1 abc 00 -0 1e0 0x1 0b1 1_0 1,0 1%2C2 1%0A %0A1 1%0D%0A 1%00 %00 1%091".split(
    " ",
  ),
  ..."%D9%A1 %EF%BC%91 %C2%B2 %E0%A5%A7 %F0%9D%9F%8F %E2%91%A0 %C2%A01 %E2%80%8B1 1%EF%BB%BF %EF%BB%BF1 %E2%80%A81".split(
    " ",
  ),
  ..."last first next null true NaN Infinity -Infinity undefined constructor __proto__ 1/ 1/2 ../1 1;2 =1 1=1".split(
    " ",
  ),
  ..."%zz %1 1% %FF %C0%B1 1%zz %2531 1%26page=1 %22%31%22 [1] 1n 1?page=1 1%3Fpage=1 1.json * % %25 1%23 '1'".split(
    " ",
  ),
  ..."999999999 1000000000 4294967297 9007199254740993 18446744073709551617 1e400 001 0000000001".split(" "),
  "9".repeat(400),
  `1${"0".repeat(4000)}`,
  utf8("\u0661"),
  utf8("\uff11"),
];

const TWICE =
  "page=1&page=1 page=1&page=2 page=2&format=api&page=1 page=&page=1 page=1&page= page&page page=1&p%61ge=1 page=x&page=1".split(
    " ",
  );

/** Queries that name page 1, whatever else they say. */
const FIRST = [
  ..."| ? ?page= ?page ?page=&format=html ?page=1 ?format=html&page=1 ?format=json&page=1 ?format=api&page=1".split(
    " ",
  ),
  ..."?page=1&format=api ?format=&page=1 ?format=1&format=2&page=1 ?Page=2 ?PAGE=2 ?page[]=2 ?pages=2 ?_page=2".split(
    " ",
  ),
  ..."?__proto__=2 ?__proto__[page]=2 ?constructor=2 ?toString ?limit=1&offset=5 ?page_size=1 ?ordering=id&search=x".split(
    " ",
  ),
  ..."?x=%zz&page=1 ?%zz=1&page=1 ?x=%FF ?%00=1 ?page%20=2 ?%20page=2 ?callback=f ??page=2 ?;page=2 ?&&page=1& ?page=%31".split(
    " ",
  ),
].map((query) => (query === "|" ? "" : query));

const SECOND =
  "?page=2 ?page=2&format=api ?format=html&page=2 ?x=1&page=2&y=2 ?p%61ge=2 ?page=%32 ?&page=2& ?x=page%3D1&page=2".split(
    " ",
  );

const ACCEPTS = [
  "text/html",
  "text/html;q=1, application/json;q=0",
  "image/*",
  "*/*;q=0",
  "",
  "not a type",
  "application/xml",
];

export async function checkPageNumbers(session: Session, known: Known): Promise<void> {
  const beyond = [known.last + 1, known.last + 2].map(String);
  const none = [...beyond, ...NO_PAGES.filter((page) => !/^[1-9]\d{0,8}$/.test(page) || Number(page) > known.last)];
  const bad = [...none.map((page) => `page=${page}`), ...TWICE];
  await Promise.all([
    ...bad.map(async (query) => {
      const answer = await session.get(`?format=api&${query}`);
      // A bare byte above 127 is not a request target, so that it may also be refused as one.
      const raw = [...query].some((letter) => letter > "\x7f");
      if (!session.status(answer, 404, ...(raw ? [400] : [])) || answer.status === 400) return;
      const value = json(answer.body.toString());
      const good = isRecord(value) && value["detail"] === "Invalid page.";
      session.check(good, "invalid page", `${answer.name}: ${answer.body.toString().slice(0, 80)}`);
    }),
    ...FIRST.map(async (query) => same(session, await session.get(query), known.first)),
    ...(known.last > 1 ? SECOND : []).map(async (query) => same(session, await session.get(query), known.second)),
    ...ACCEPTS.map(async (accept) => same(session, await session.get("", ["Accept", accept]), known.first)),
  ]);
}
