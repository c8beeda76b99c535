import { type Known, sameHeaders } from "./known.js";
import { type Answer, header } from "./raw.js";
import type { Session } from "./session.js";

const QUERIES = [
  "",
  "?page=2",
  "?format=api&page=2",
  "?page=1&page=1",
  "?x=%zz&y=%0d%0aSet-Cookie:%20a=b",
  "?x=//example.org/",
];

/** Checks the redirect without the final slash, unknown paths, and HEAD on every path. */
export async function checkPaths(session: Session, known: Known): Promise<void> {
  const bare = session.listing.slice(0, -1);
  await Promise.all([
    ...QUERIES.flatMap((query) => ["GET", "HEAD"].map((method) => redirect(session, method, query))),
    ...["?page=1", "?page=0", "?page=1&page=1", `?page=${known.last}`, `?page=${known.last + 1}`].map((query) =>
      head(session, `${session.listing}${query}`),
    ),
    ...[`${bare}?page=1`, `${session.listing}nothing`, `${session.listing}pages/0.json`].map((target) =>
      head(session, target),
    ),
    ...NOTHING.map(async (path) => {
      const answer = await session.ask({ method: "GET", target: `${session.listing}${path}` });
      session.status(answer, 404, ...(path.includes("%") ? [400] : []));
    }),
    ...elsewhere(session).map(async (target) => {
      const answer = await session.ask({ method: "GET", target });
      local(session, answer);
    }),
  ]);
}

const NOTHING = [
  "nothing",
  "x/",
  "1",
  "index.html",
  "pages/",
  "pages/0.json",
  "pages/01.json",
  "pages/-1.json",
  "pages/1.0.json",
].concat([
  "pages/abc.json",
  "pages/%2e%2e/1.json",
  "pages/1.json/",
  "pages/999999999.json",
  "%",
  "%ff",
  "%00",
  "pages/1%00.json",
]);

function elsewhere(session: Session): string[] {
  const root = session.listing.slice(0, -"api/users/".length);
  const inside = [
    "",
    "api",
    "api/",
    "API/USERS/",
    "api/user/",
    "api/users/../users/",
    "api/%75sers/",
    "api//users/",
    "favicon.ico",
    ".git/config",
  ];
  return [
    ...inside.map((path) => `${root}${path}`),
    "//example.org/api/users",
    "//example.org",
    "/..",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/\\example.org",
  ];
}

/** A redirect that leaves this host would send readers anywhere. */
function local(session: Session, answer: Answer): void {
  const location = header(answer, "location");
  if (location === undefined) return;
  const { origin } = session.origin;
  const good = URL.canParse(location, origin) && new URL(location, origin).origin === origin;
  session.check(good, "redirect", `${answer.name}: to ${location}`);
}

async function redirect(session: Session, method: string, query: string): Promise<void> {
  const answer = await session.ask({ method, target: `${session.listing.slice(0, -1)}${query}` });
  if (!session.status(answer, 301)) return;
  const location = header(answer, "location") ?? "";
  const wanted = `${session.origin.origin}${session.listing}${query}`;
  const good = [wanted, `${session.listing}${query}`].includes(location);
  session.check(good, "redirect", `${answer.name}: to ${location}, expected ${wanted}`);
}

export async function head(session: Session, target: string, headers: [string, string][] = []): Promise<void> {
  const [get, answer] = await Promise.all([
    session.ask({ method: "GET", target, headers }),
    session.ask({ method: "HEAD", target, headers }),
  ]);
  if (!session.status(answer, get.status)) return;
  sameHeaders(session, answer, get);
  const length = header(answer, "content-length");
  const wanted = get.status === 304 ? length : String(get.body.length);
  session.check(length === wanted, "HEAD", `${answer.name}: Content-Length ${length}, the body has ${wanted}`);
}
