/**
 * The CloudFront function for viewer requests. Its runtime is ES 5.1 with some later features, but without URL, Response,
 * `for of` and destructuring. Query values are as sent; those of a repeated name are in `multiValue`. It cannot read files, so
 * RULES has the numbers of pages and numbered files, and the names of steps unless there are too many. The line below becomes
 * the declaration of RULES; the part above it is not written.
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

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch (_error) {
    return "?";
  }
}

function isPage(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= RULES.lastPage;
}

/** Whether a path is a step or a numbered file of the release. */
function isThere(path) {
  const end = path.lastIndexOf("/");
  const folder = path.slice(0, Math.max(end, 0));
  if (Object.keys(RULES.numbered).indexOf(folder) >= 0) {
    const file = path.slice(end + 1);
    const numbered = RULES.numbered[folder];
    return new RegExp(`^${numbered.names}$`).test(file) && Number.parseInt(file, 10) <= numbered.last;
  }
  const step = /^changes\/([0-9a-f]{12}-[0-9a-f]{12})\.ndjson\.gz$/.exec(path);
  return step !== null && (RULES.steps === undefined || RULES.steps.indexOf(step[1]) >= 0);
}

/** The page of a query: 1 by default; an invalid text for two pages. */
function requested(query) {
  let given = [];
  for (const name in query) {
    if (decoded(name) === "page") given = given.concat(query[name].multiValue || [query[name]]);
  }
  if (given.length > 1) return "";
  return given.length === 0 || given[0].value === "" ? "1" : decoded(given[0].value);
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
    const page = named ? named[1] : requested(request.querystring);
    if (!isPage(page)) return reply(404, RULES.error, RULES.invalidPage);
    request.uri = `/${RULES.pageFolder}/${page}.json`;
  } else if (Object.keys(RULES.routes).indexOf(uri) >= 0) {
    request.uri = `/${RULES.routes[uri]}`;
  } else {
    const name = uri.indexOf(RULES.folder) === 0 ? uri.slice(RULES.folder.length) : "";
    if (!isThere(name)) return reply(404, RULES.error, RULES.bodies[404]);
    request.uri = `/${name}`;
  }
  request.querystring = {};
  return request;
}
