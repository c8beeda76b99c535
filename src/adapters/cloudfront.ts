/** CloudFront before a bucket: a function that asks no disk, so that it knows the last page, and policies for the rest. */
import { PAGES } from "../release/layout.js";
import { type Adapter, banner } from "./rules/adapter.js";
import type { Deployment } from "./rules/deployment.js";
import { BODIES, type Headers, INVALID_PAGE_BODY } from "./rules/rules.js";

/** Bytes that a function may have. */
export const FUNCTION_LIMIT = 10_240;

export const cloudfront: Adapter = {
  name: "cloudfront",
  title: "CloudFront and S3",
  claims: {
    query: "function",
    headers: "all; ETag is S3's own",
    options: "204",
    refusal: "405, JSON",
    missing: "404, JSON",
    compression: "compresses by itself",
    tested: "the function in a bare VM, with the events that AWS documents",
  },
  siblings: [],
  compresses: true,
  limits: {},
  steps: [
    "Upload the release's folder to the bucket; give the function to the distribution as viewer-request.",
    "Allow all seven methods, so that the function and not CloudFront refuses them; cache policy: CachingOptimized.",
    "Make the response headers policy from rollcall-headers.json: aws cloudfront create-response-headers-policy.",
  ],
  files(site) {
    const goes =
      "The code of a CloudFront Function (cloudfront-js-2.0), for viewer-request of the default behaviour.\n" +
      "It knows the last page: write it again after each build.";
    return [
      {
        path: "rollcall-function.js",
        goes,
        text: banner("//", "The function", site, goes) + functionOf(site),
      },
      {
        path: "rollcall-headers.json",
        goes: "For aws cloudfront create-response-headers-policy --response-headers-policy-config file://rollcall-headers.json.",
        text: `${JSON.stringify(policy(site), null, 2)}\n`,
      },
    ];
  },
};

/** Only what JavaScript runtime 2.0 has: no URL, no Response, query values as they were sent. */
function functionOf(site: Deployment): string {
  const { listing, bare, pages, redirect, base, headers, preflight, moved, error, files, release } = site;
  return `var LISTING = ${text(listing)}, BARE = ${text(bare)}, BY_PATH = ${text(pages)}, BASE = ${text(`${base}/`)};
var REDIRECT = ${text(redirect)}, PAGES = ${release.snapshot.pages}, FILES = ${JSON.stringify([...files.keys()])};
var HEADERS = ${valued(headers)};
var PREFLIGHT = ${valued(preflight)};
var MOVED = ${valued(moved)};
var ERROR = ${valued(error)};
var TEXTS = { 204: "No Content", 301: "Moved Permanently", 404: "Not Found", 405: "Method Not Allowed" };

function reply(status, headers, body) {
  var response = { statusCode: status, statusDescription: TEXTS[status], headers: Object.assign({}, HEADERS, headers) };
  if (body) response.body = { encoding: "text", data: body };
  return response;
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\\+/g, " "));
  } catch (error) {
    return "?";
  }
}

function isPage(text) {
  return /^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= PAGES;
}

/** The page that the query asks for: 1 when it names none or an empty one, none when it names what is no page, or two. */
function requested(query) {
  var given = [];
  for (var name in query) {
    if (decoded(name) !== "page") continue;
    given = given.concat(query[name].multiValue || [query[name]]);
  }
  if (given.length > 1) return "";
  return given.length === 0 || given[0].value === "" ? "1" : decoded(given[0].value);
}

function search(query) {
  var parts = [];
  for (var name in query) {
    (query[name].multiValue || [query[name]]).forEach(function (one) {
      parts.push(one.value === "" ? name : name + "=" + one.value);
    });
  }
  return parts.length === 0 ? "" : "?" + parts.join("&");
}

function handler(event) {
  var request = event.request, uri = request.uri, method = request.method;
  if (method === "OPTIONS") return reply(204, PREFLIGHT);
  if (method !== "GET" && method !== "HEAD") return reply(405, ERROR, ${text(BODIES[405])});
  if (uri === BARE) return reply(301, Object.assign({ location: { value: REDIRECT + search(request.querystring) } }, MOVED));
  var named = uri.indexOf(BY_PATH) === 0 ? /^([^/]*)\\.json$/.exec(uri.slice(BY_PATH.length)) : null;
  if (uri === LISTING || named) {
    var page = named ? named[1] : requested(request.querystring);
    if (!isPage(page)) return reply(404, ERROR, ${text(INVALID_PAGE_BODY)});
    request.uri = "/${PAGES}/" + page + ".json";
  } else {
    var name = uri.indexOf(BASE) === 0 ? uri.slice(BASE.length) : "";
    if (FILES.indexOf(name) < 0) return reply(404, ERROR, ${text(BODIES[404])});
    request.uri = "/" + name;
  }
  request.querystring = {};
  return request;
}
`;
}

/** The headers of what comes from the bucket; CORS and nosniff have fields of their own. */
function policy({ headers, page, release }: Deployment) {
  const own = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options"];
  const items = Object.entries({ ...headers, "Cache-Control": page["Cache-Control"] ?? "" })
    .filter(([name]) => !own.includes(name))
    .map(([Header, Value]) => ({ Header, Value, Override: true }));
  return {
    Name: `rollcall-${release.snapshot.id}`,
    CorsConfig: {
      AccessControlAllowOrigins: { Quantity: 1, Items: ["*"] },
      AccessControlAllowHeaders: { Quantity: 1, Items: ["*"] },
      AccessControlAllowMethods: { Quantity: 3, Items: ["GET", "HEAD", "OPTIONS"] },
      AccessControlExposeHeaders: { Quantity: 2, Items: ["ETag", "Snapshot-Id"] },
      AccessControlAllowCredentials: false,
      OriginOverride: true,
    },
    SecurityHeadersConfig: { ContentTypeOptions: { Override: true } },
    CustomHeadersConfig: { Quantity: items.length, Items: items },
  };
}

function valued(headers: Headers): string {
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), { value }]);
  return JSON.stringify(Object.fromEntries(fields));
}

function text(value: string): string {
  return JSON.stringify(value);
}
