/**
 * Answers a request as the contract says, on hosts that run JavaScript with the requests and responses of browsers.
 * It is part of the release that it serves, so it can hold neither the release's id nor a digest: it reads the id and
 * computes the tags. The line below becomes the declaration of RULES; what is above it is not written.
 */
/* global RULES */

let id;

/** Reads the release's id once: another release comes with another instance of this code. */
async function headersOf(read) {
  // Keep the value, since the runtime ties a promise to the request that made it.
  id ??= (await (await read("snapshot.json")).json()).id;
  return { ...RULES.headers, "Snapshot-Id": id, "Access-Control-Expose-Headers": "ETag, Link, Snapshot-Id" };
}

/** The family of files that a path belongs to, whether there is such a file or not. */
function familyOf(path) {
  const end = path.lastIndexOf("/");
  return RULES.families.find(
    ({ folder, names }) =>
      folder === path.slice(0, Math.max(end, 0)) && new RegExp(`^${names}$`).test(path.slice(end + 1)),
  );
}

/** A path inside of `views/`: the segments of a view and of a value, if it has any, and the number of a page, if it is by path. */
const IN_VIEW = /^((?:[\w~-][\w.~-]*\/){1,2}?)(?:pages\/([^/]*)\.json)?$/;

function pageNumber(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) ? text : undefined;
}

/** The page that a query asks for. Without a page it is 1; anything but a number is undefined. */
function requestedPage(search) {
  return pageNumber(new URLSearchParams(search).get("page") || "1");
}

function isFresh(known, tag) {
  if (known === null) return false;
  return known.trim() === "*" || known.includes(tag);
}

/** The first and last byte that a request asks for; undefined where the whole is to be sent. */
function rangeOf({ method, headers }, tag, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("Range") || "") || ["", "", ""];
  const condition = headers.get("If-Range");
  if (method !== "GET" || first + last === "" || (condition !== null && condition !== tag)) return undefined;
  if (first === "") return [Math.max(0, size - Number(last)), size - 1];
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
}

/** `read(path)` fetches a file of the release, as a promise of a Response. */
export async function answer(request, read) {
  const headers = await headersOf(read);
  const refuse = (status, body = RULES.bodies[status], more = {}) =>
    new Response(request.method === "HEAD" ? null : body, {
      status,
      headers: { ...headers, ...RULES.error, "Content-Length": String(body.length), ...more },
    });
  const send = async (path, own, hasRanges = false) => {
    const file = await read(path);
    if (file.status === 404) return undefined;
    if (file.status !== 200) return refuse(500);
    const bytes = await file.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const tag = `"${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
    const all = { ...headers, ...own, ETag: tag };
    if (isFresh(request.headers.get("If-None-Match"), tag)) return new Response(null, { status: 304, headers: all });
    const size = bytes.byteLength;
    if (hasRanges) all["Accept-Ranges"] = "bytes";
    const range = hasRanges && rangeOf(request, tag, size);
    if (!range) {
      all["Content-Length"] = String(size);
      return new Response(request.method === "HEAD" ? null : bytes, { status: 200, headers: all });
    }
    const [start, end] = range;
    if (start >= size) return refuse(416, undefined, { "Content-Range": `bytes */${size}` });
    all["Content-Range"] = `bytes ${start}-${end}/${size}`;
    all["Content-Length"] = String(end - start + 1);
    return new Response(bytes.slice(start, end + 1), { status: 206, headers: all });
  };

  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...headers, ...RULES.preflight } });
  if (method !== "GET" && method !== "HEAD") return refuse(405);
  const { pathname, search } = new URL(request.url);
  if (Object.hasOwn(RULES.redirects, pathname)) {
    const moved = { ...RULES.moved, "Content-Length": "0", Location: RULES.redirects[pathname] + search };
    return new Response(null, { status: 301, headers: { ...headers, ...moved } });
  }
  const named = pathname.startsWith(RULES.pages) ? /^([^/]*)\.json$/.exec(pathname.slice(RULES.pages.length)) : null;
  if (pathname === RULES.listing || named) {
    const page = named ? pageNumber(named[1]) : requestedPage(search);
    const found = page && (await send(`${RULES.pageFolder}/${page}.json`, RULES.page));
    return found || refuse(404, RULES.invalidPage);
  }
  if (Object.hasOwn(RULES.routes, pathname)) {
    const file = RULES.routes[pathname];
    const own = RULES.files[file];
    return (
      (await send(file, own, /^application\/(?:gzip|vnd\.apache\.parquet)$/.test(own["Content-Type"]))) || refuse(404)
    );
  }
  const view = pathname.startsWith(RULES.views) ? IN_VIEW.exec(pathname.slice(RULES.views.length)) : null;
  if (view) {
    const page = view[2] === undefined ? requestedPage(search) : pageNumber(view[2]);
    const found = page && (await send(`views/${view[1]}pages/${page}.json`, RULES.page));
    if (found) return found;
    const first = await read(`views/${view[1]}pages/1.json`);
    return first.status === 200 ? refuse(404, RULES.invalidPage) : refuse(404);
  }
  const name = pathname.startsWith(`${RULES.base}/`) ? pathname.slice(RULES.base.length + 1) : "";
  const family = familyOf(name);
  return (family && (await send(name, family.headers, family.hasRanges))) || refuse(404);
}
