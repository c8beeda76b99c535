/**
 * The CloudFront function for viewer requests. Its runtime is ES 5.1 with some later features, but without URL, Response,
 * `for of` and destructuring. Query values are as sent; those of a repeated name are in `multiValue`. It cannot read files, so
 * RULES has the number of pages and the files that exist. The bucket answers for numbered files and steps that do not exist. The
 * line below becomes the declaration of RULES; the part above it is not written.
 */
/* global RULES */

const TEXTS = { 204: "No Content", 301: "Moved Permanently", 404: "Not Found", 405: "Method Not Allowed" };

function reply(status, own, body) {
  const all = Object.assign({}, RULES.headers, own);
  const headers = {};
  for (const name in all) headers[name.toLowerCase()] = { value: all[name] };
  const response = { statusCode: status, statusDescription: TEXTS[status], headers: headers };
  if (body) response.body = { encoding: "text", data: body };
  return response;
}

function isPage(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= RULES.lastPage;
}

/** Whether a path has the form of a step or of a numbered file. */
function isOfFamily(path) {
  const end = path.lastIndexOf("/");
  return RULES.families.some(
    (family) =>
      family.folder === path.slice(0, Math.max(end, 0)) && new RegExp(`^${family.names}$`).test(path.slice(end + 1)),
  );
}

/** The segments of a view and of a value, if it has any, and the number of a page by path. The bucket knows which exist. */
function viewOf(uri) {
  if (uri.indexOf(RULES.views) !== 0) return null;
  return /^((?:[\w~-][\w.~-]*\/){1,2}?)(?:pages\/([^/]*)\.json)?$/.exec(uri.slice(RULES.views.length));
}

function search(query) {
  const parts = [];
  for (const name in query) {
    (query[name].multiValue || [query[name]]).forEach((one) => {
      parts.push(one.value === "" ? name : `${name}=${one.value}`);
    });
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

export function handler(event) {
  const request = event.request;
  const uri = request.uri;
  const method = request.method;
  if (method === "OPTIONS") return reply(204, RULES.preflight);
  if (method !== "GET" && method !== "HEAD") return reply(405, RULES.error, RULES.bodies[405]);
  if (Object.keys(RULES.redirects).indexOf(uri) >= 0) {
    return reply(301, Object.assign({ Location: RULES.redirects[uri] + search(request.querystring) }, RULES.moved));
  }
  const named = uri.indexOf(RULES.pages) === 0 ? /^([^/]*)\.json$/.exec(uri.slice(RULES.pages.length)) : null;
  if (uri === RULES.listing || named) {
    const page = named ? named[1] : request.querystring.page?.value || "1";
    if (!isPage(page)) return reply(404, RULES.error, RULES.invalidPage);
    request.uri = `/${RULES.pageFolder}/${page}.json`;
  } else if (Object.keys(RULES.routes).indexOf(uri) >= 0) {
    request.uri = `/${RULES.routes[uri]}`;
  } else if (viewOf(uri)) {
    const view = viewOf(uri);
    const page = view[2] === undefined ? request.querystring.page?.value || "1" : view[2];
    if (!/^[1-9][0-9]{0,8}$/.test(page)) return reply(404, RULES.error, RULES.invalidPage);
    request.uri = `/views/${view[1]}pages/${page}.json`;
  } else {
    const name = uri.indexOf(`${RULES.base}/`) === 0 ? uri.slice(RULES.base.length + 1) : "";
    if (!isOfFamily(name)) return reply(404, RULES.error, RULES.bodies[404]);
    request.uri = `/${name}`;
  }
  request.querystring = {};
  return request;
}
