/** The rules as JavaScript, for hosts that run a function at the edge: requests and answers as browsers know them. */
import { PAGES, SNAPSHOT } from "../release/layout.js";
import { BODIES, INVALID_PAGE_BODY, type Rules } from "./rules/rules.js";

/**
 * A module's `answer(request, read)`, where `read(path)` fetches a file of the release. What depends on one release,
 * its id and its tags, is read and made from what is sent, so that the code can be part of the release itself.
 */
export function writeAnswer(rules: Rules): string {
  const { listing, bare, pages, redirect, base, headers, preflight, page, moved, error, files } = rules;
  const facts = {
    listing,
    bare,
    byPath: pages,
    redirect,
    base: `${base}/`,
    headers,
    preflight,
    page,
    moved,
    error,
    files: Object.fromEntries(files),
  };
  return `const RULES = ${JSON.stringify(facts, null, 2)};
const BODIES = ${JSON.stringify(BODIES)};
const INVALID = ${JSON.stringify(INVALID_PAGE_BODY)};

let id;

/** The release's id is read once: another release comes with another instance of this code. */
async function headersOf(read) {
  // The value is kept and not the promise, which is its own request's.
  id ??= (await (await read(${JSON.stringify(SNAPSHOT)})).json()).id;
  return { ...RULES.headers, "Snapshot-Id": id, "Access-Control-Expose-Headers": "ETag, Snapshot-Id" };
}

function pageNumber(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) ? text : undefined;
}

/** The page that the query asks for: 1 when it names none or an empty one, none when it names what is no page, or two. */
function requestedPage(search) {
  const given = new URLSearchParams(\`?\${search.slice(1)}\`).getAll("page");
  if (given.length > 1) return undefined;
  return given[0] ? pageNumber(given[0]) : "1";
}

function isFresh(known, tag) {
  if (known === null) return false;
  return known.trim() === "*" || known.includes(tag);
}

async function answer(request, read) {
  const headers = await headersOf(read);
  const refuse = (status, body = BODIES[status]) =>
    new Response(request.method === "HEAD" ? null : body, {
      status,
      headers: { ...headers, ...RULES.error, "Content-Length": String(body.length) },
    });
  const send = async (path, own) => {
    const file = await read(path);
    if (file.status === 404) return undefined;
    if (file.status !== 200) return refuse(500);
    const bytes = await file.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const tag = \`"\${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"\`;
    const all = { ...headers, ...own, ETag: tag };
    if (isFresh(request.headers.get("If-None-Match"), tag)) return new Response(null, { status: 304, headers: all });
    all["Content-Length"] = String(bytes.byteLength);
    return new Response(request.method === "HEAD" ? null : bytes, { status: 200, headers: all });
  };

  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...headers, ...RULES.preflight } });
  if (method !== "GET" && method !== "HEAD") return refuse(405);
  const { pathname, search } = new URL(request.url);
  if (pathname === RULES.bare) {
    return new Response(null, {
      status: 301,
      headers: { ...headers, ...RULES.moved, "Content-Length": "0", Location: RULES.redirect + search },
    });
  }
  const [, named] = pathname.startsWith(RULES.byPath) ? (/^([^/]*)\\.json$/.exec(pathname.slice(RULES.byPath.length)) ?? []) : [];
  if (pathname === RULES.listing || named !== undefined) {
    const page = named === undefined ? requestedPage(search) : pageNumber(named);
    const found = page && (await send(\`${PAGES}/\${page}.json\`, RULES.page));
    return found || refuse(404, INVALID);
  }
  const name = pathname.startsWith(RULES.base) ? pathname.slice(RULES.base.length) : "";
  const own = Object.hasOwn(RULES.files, name) ? RULES.files[name] : undefined;
  return (own && (await send(name, own))) || refuse(404);
}
`;
}
