import { type Known, same } from "./known.js";
import { header } from "./raw.js";
import { isRecord, json, type Session } from "./session.js";

const METHODS =
  "POST PUT PATCH DELETE TRACE PROPFIND SEARCH QUERY LINK PURGE MKCOL LOCK REPORT M-SEARCH BREW FOO get Get HEADS OPTION G".split(
    " ",
  );

export async function checkMethods(session: Session, known: Known): Promise<void> {
  const target = `${session.listing}?format=api&page=1`;
  const refused = async (method: string, target: string, body?: string) => {
    const answer = await session.ask({ method, target, ...(body === undefined ? {} : { body }) });
    if (!session.status(answer, 405)) return;
    const value = json(answer.body.toString());
    session.check(
      isRecord(value) && value["detail"] === "Method not allowed.",
      "405 body",
      `${answer.name}: ${answer.body.toString().slice(0, 80)}`,
    );
  };
  await Promise.all([
    ...METHODS.map((method) => refused(method, target)),
    refused("CONNECT", session.origin.host),
    refused("POST", session.listing, '{"username":"x"}'),
    refused("POST", `${session.listing}?_method=GET`, "x".repeat(100_000)),
    checkOptions(session, target),
    ...["", "?page=0", "nothing"].map(async (rest) => {
      const answer = await session.ask({ method: "POST", target: `${session.listing}${rest}`, body: "{}" });
      session.status(answer, 405, ...(rest === "nothing" ? [404] : []));
      await session.ask({ method: "OPTIONS", target: `${session.listing}${rest}` });
    }),
    session.ask({ method: "OPTIONS", target: "*" }),
    session.ask({ method: "POST", target: session.listing.slice(0, -1), body: "{}" }).then((answer) => {
      session.status(answer, 301, 308, 405);
    }),
  ]);
  await session.get("").then((answer) => same(session, answer, known.first));
}

async function checkOptions(session: Session, target: string): Promise<void> {
  const preflight: [string, string][] = [
    ["Origin", "https://example.org"],
    ["Access-Control-Request-Method", "GET"],
    ["Access-Control-Request-Headers", "if-none-match"],
  ];
  for (const headers of [[], preflight]) {
    const answer = await session.ask({ method: "OPTIONS", target, headers });
    session.status(answer, 204);
    session.expect(answer, "allow", "GET, HEAD, OPTIONS");
    session.expect(answer, "vary", "Accept", session.vary);
    session.check(header(answer, "content-length") === undefined, "204", `${answer.name}: has a Content-Length`);
    if (headers.length === 0) continue;
    const methods = header(answer, "access-control-allow-methods")?.split(/\s*,\s*/) ?? [];
    session.check(methods.includes("GET") || methods.includes("*"), "preflight", `${answer.name}: methods ${methods}`);
    const allowed =
      header(answer, "access-control-allow-headers")
        ?.toLowerCase()
        .split(/\s*,\s*/) ?? [];
    const good = allowed.includes("*") || allowed.includes("if-none-match");
    session.check(good, "preflight", `${answer.name}: headers ${allowed}`);
  }
}
