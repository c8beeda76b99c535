/** lighttpd with mod_magnet: a script that finds the file, and its tag in SHA256SUMS, whose lines have known lengths. */
import { join } from "node:path";
import { ENCODINGS } from "../contract/headers.js";
import { PAGES, SUMS } from "../release/layout.js";
import { type Adapter, banner } from "./rules/adapter.js";
import type { Deployment } from "./rules/deployment.js";
import { BODIES, type Headers, INVALID_PAGE_BODY } from "./rules/rules.js";

const SCRIPT = "rollcall.lua";

export const lighttpd: Adapter = {
  name: "lighttpd",
  title: "lighttpd",
  claims: {
    query: "mod_magnet",
    headers: "all",
    options: "204",
    refusal: "405, JSON",
    missing: "404, JSON",
    compression: "chooses .br and .gz files",
    tested: "lighttpd of Debian with its Lua module",
  },
  siblings: ["br", "gzip"],
  compresses: false,
  limits: {},
  steps: ["Needs mod_magnet: Debian has it in lighttpd-modules-lua."],
  files(site) {
    const script = join(site.folder, SCRIPT);
    const goes =
      'Goes into the configuration by a line: include "rollcall.conf"; then systemctl restart lighttpd.\n' +
      "It makes the whole server the release's, and names one: write it again after each build, with the script beside it.";
    const role = `The script that rollcall.conf reads from ${script}.`;
    const text = banner("#", "lighttpd, as the host", site, goes) + configuration(site, script);
    return [
      { path: "rollcall.conf", goes, text },
      { path: SCRIPT, goes: role, text: banner("--", "lighttpd, as the host", site, role) + scriptOf(site) },
    ];
  },
};

function configuration({ root, address, port }: Deployment, script: string): string {
  return [
    'server.modules += ( "mod_magnet" )',
    `server.document-root := ${quote(root)}`,
    `server.port := ${port ?? 80}`,
    ...(address === undefined ? [] : [`server.bind := ${quote(address)}`]),
    'server.tag := "lighttpd"',
    "# Time and size say nothing of the bytes, and the tags do.",
    'static-file.etags := "disable"',
    'server.range-requests := "disable"',
    "# Nothing but the script reads a target, and it takes it as it was sent.",
    'server.http-parseopts := ( "url-normalize" => "disable" )',
    `magnet.attract-raw-url-to := ( ${quote(script)} )`,
    "",
  ].join("\n");
}

function scriptOf(site: Deployment): string {
  const { listing, bare, base, pages, redirect, root, files, encodings, release } = site;
  const { headers, preflight, page, moved, error } = site;
  const suffixes = encodings.map((name) => ENCODINGS[name]);
  return `local ROOT, PAGES = ${lua(`${root}/`)}, ${release.snapshot.pages}
local LISTING, BARE, BY_PATH, REDIRECT, BASE = ${[listing, bare, pages, redirect, `${base}/`].map(lua).join(", ")}
local HEADERS = ${table(headers)}
local PREFLIGHT = ${table(preflight)}
local MOVED = ${table(moved)}
local ERROR = ${table(error)}
local PAGE = ${table(page)}
local FILES = {
${[...files].map(([name, own]) => `  [${lua(name)}] = { tag = ${lua(tagOf(site, name))}, headers = ${table(own)} },`).join("\n")}
}
local CODINGS = { ${encodings.map((name) => `{ name = ${lua(name)}, suffix = ${lua(ENCODINGS[name])} }`).join(", ")} }
local BODIES = { ${Object.entries(BODIES)
    .map(([status, body]) => `[${status}] = ${lua(body)}`)
    .join(", ")} }
local INVALID = ${lua(INVALID_PAGE_BODY)}
local r = lighty.r

local function set(headers)
  for name, value in pairs(headers) do r.resp_header[name] = value end
end

local function refuse(status, body)
  set(HEADERS)
  set(ERROR)
  r.resp_body.set(body or BODIES[status] or BODIES[status < 500 and 400 or 500])
  return status
end

-- The page that the query asks for: 1 when it names none or an empty one, nil when it names what is no page, or two.
local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

local function number(text)
  return text:match("^[1-9]%d?%d?%d?%d?%d?%d?%d?%d?$") and tonumber(text)
end

local function requested(query)
  local given
  for part in query:gmatch("[^&]+") do
    local name, value = part:match("^([^=]*)=?(.*)$")
    if decoded(name) == "page" then
      if given then return nil end
      given = decoded(value)
    end
  end
  if given == nil or given == "" then return 1 end
  return number(given)
end

-- The coding that the reader likes best, by its Accept-Encoding; of equal ones the first, and any before the plain page.
local function negotiated(accept)
  local weights, any = {}, nil
  for part in accept:lower():gmatch("[^,]+") do
    local name, rest = part:match("^%s*([^%s;]+)%s*(.*)$")
    if name then
      local weight = tonumber(rest:match("^;%s*q=([%d.]+)") or "1") or 0
      if name == "*" then any = weight else weights[name] = weight end
    end
  end
  local best, most = nil, weights.identity or 0
  for _, coding in ipairs(CODINGS) do
    local weight = weights[coding.name] or any or 0
    if weight > 0 and (weight > most or (weight == most and not best)) then best, most = coding, weight end
  end
  return best
end

-- The digest of a page, from its line in ${SUMS}: every digit more of a number makes a line one byte longer.
local function digest(page, coding)
  local endings = { ""${suffixes.map((suffix) => `, ${lua(suffix)}`).join("")} }
  local lines, bytes, first = #endings, 0, 1
  for _, ending in ipairs(endings) do bytes = bytes + ${64 + 2 + PAGES.length + 1 + ".json".length + 1} + #ending end
  local at, digits = 0, 1
  while first * 10 <= page do
    at = at + first * 9 * (bytes + lines * digits)
    first, digits = first * 10, digits + 1
  end
  at = at + (page - first) * (bytes + lines * digits)
  for _, ending in ipairs(endings) do
    if ending == (coding and coding.suffix or "") then break end
    at = at + ${64 + 2 + PAGES.length + 1 + ".json".length + 1} + digits + #ending
  end
  local file = io.open(ROOT .. ${lua(SUMS)}, "rb")
  if not file then return nil end
  file:seek("set", at)
  local line = file:read("*l")
  file:close()
  local ends = "/" .. page .. ".json" .. (coding and coding.suffix or "")
  return line and line:sub(-#ends) == ends and line:match("^(%x+)  ")
end

local function send(path, tag, headers, coding)
  set(HEADERS)
  set(headers)
  if coding then r.resp_header["Content-Encoding"] = coding.name end
  r.resp_header["ETag"] = tag
  local known = r.req_header["If-None-Match"]
  if known and (known:find(tag, 1, true) or known:match("^%s*%*%s*$")) then return 304 end
  local file = lighty.c.stat(ROOT .. path)
  if not file or not file["is_file"] then return refuse(500) end
  r.resp_body.set({ { filename = ROOT .. path } })
  return 200
end

local function answer()
  local method, target = r.req_attr["request.method"], r.req_attr["request.orig-uri"]
  if method == "OPTIONS" then
    set(HEADERS)
    set(PREFLIGHT)
    return 204
  end
  if method ~= "GET" and method ~= "HEAD" then return refuse(405) end
  local path, query = target:gsub("^%a+://[^/?#]*", ""):match("^([^?]*)%??(.*)$")
  if path == BARE then
    set(HEADERS)
    set(MOVED)
    r.resp_header["Content-Length"] = "0"
    r.resp_header["Location"] = REDIRECT .. target:match("%??[^?]*$", #path + 1)
    return 301
  end
  local page = path == LISTING and requested(query)
  local named = path:sub(1, #BY_PATH) == BY_PATH and path:sub(#BY_PATH + 1):match("^([^/]*)%.json$")
  if named then page = number(named) end
  if path == LISTING or named then
    if not page or page > PAGES then return refuse(404, INVALID) end
    local coding = negotiated(r.req_header["Accept-Encoding"] or "")
    local found = digest(page, coding)
    if not found then return refuse(500) end
    return send(${lua(`${PAGES}/`)} .. page .. ".json" .. (coding and coding.suffix or ""), '"' .. found .. '"', PAGE, coding)
  end
  local name = path:sub(1, #BASE) == BASE and path:sub(#BASE + 1)
  local file = name and FILES[name]
  if not file then return refuse(404) end
  return send(name, file.tag, file.headers)
end

return answer()
`;
}

function tagOf({ release, sumsDigest }: Deployment, name: string): string {
  return `"${name === SUMS ? sumsDigest : release.sums.others.get(name)}"`;
}

function table(headers: Headers): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${lua(name)}] = ${lua(value)}`);
  return `{ ${fields.join(", ")} }`;
}

/** A Lua string; in 5.1 as well as later ones. */
function lua(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A value of lighttpd's configuration, which has no escape for a quote but another kind of quote. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
