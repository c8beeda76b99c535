-- What mod_magnet runs for each request: it finds the file of the release, and its tag in SHA256SUMS.
-- The line below becomes the declaration of RULES; what is above it is not written.
-- global RULES

local r = lighty.r

local function set(headers)
  for name, value in pairs(headers) do r.resp_header[name] = value end
end

local function refuse(status, body)
  set(RULES.headers)
  set(RULES.error)
  local known = RULES.bodies[tostring(status)]
  r.resp_body.set(body or known or RULES.bodies[status < 500 and "400" or "500"])
  return status
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

local function number(text)
  return text:match("^[1-9]%d?%d?%d?%d?%d?%d?%d?%d?$") and tonumber(text)
end

-- The page that a query asks for. Without a page it is 1; two pages, or anything but a number, are nil.
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

-- The weight in a coding's parameters. One that is none refuses the coding.
local function weigh(parameters)
  local given = parameters:match(";%s*q%s*=%s*([^%s;]*)")
  if not given then return 1 end
  return tonumber(given:match("^[01]$") or given:match("^0%.%d?%d?%d?$") or given:match("^1%.0?0?0?$") or "0")
end

-- The coding with the highest weight in Accept-Encoding. Of equal ones it is the first, and any before the plain page.
local function negotiated(accept)
  local weights, any = {}, nil
  for part in accept:lower():gmatch("[^,]+") do
    local name, rest = part:match("^%s*([^%s;]+)%s*(.*)$")
    if name then
      local weight = weigh(rest)
      if name == "*" then any = weight else weights[name] = weight end
    end
  end
  local best, most = nil, weights.identity or 0
  for _, coding in ipairs(RULES.codings) do
    local weight = weights[coding.name] or any or 0
    if weight > 0 and (weight > most or (weight == most and not best)) then best, most = coding, weight end
  end
  return best
end

-- The digest of a page, from its line in SHA256SUMS. The lines stand in the order of the pages, and each is as long as
-- its page's number and its ending make it, so the place of a line can be computed.
local function digest(page, coding)
  local fixed = 64 + #"  " + #RULES.pageFolder + #"/.json\n"
  local endings = { "" }
  for _, each in ipairs(RULES.codings) do endings[#endings + 1] = each.suffix end
  local lines, bytes, first = #endings, 0, 1
  for _, ending in ipairs(endings) do bytes = bytes + fixed + #ending end
  local at, digits = 0, 1
  while first * 10 <= page do
    at = at + first * 9 * (bytes + lines * digits)
    first, digits = first * 10, digits + 1
  end
  at = at + (page - first) * (bytes + lines * digits)
  local suffix = coding and coding.suffix or ""
  for _, ending in ipairs(endings) do
    if ending == suffix then break end
    at = at + fixed + digits + #ending
  end
  local file = io.open(RULES.root .. RULES.sums, "rb")
  if not file then return nil end
  file:seek("set", at)
  local line = file:read("*l")
  file:close()
  local ends = "/" .. page .. ".json" .. suffix
  return line and line:sub(-#ends) == ends and line:match("^(%x+)  ")
end

-- The first and last byte that a request asks for; nil where the whole is to be sent.
local function range(tag, size)
  local first, last = (r.req_header["Range"] or ""):match("^[bB][yY][tT][eE][sS]=(%d*)%-(%d*)$")
  local condition = r.req_header["If-Range"]
  if not first or first .. last == "" or r.req_attr["request.method"] ~= "GET" then return nil end
  if condition and condition ~= tag then return nil end
  if first == "" then return math.max(0, size - tonumber(last)), size - 1 end
  if last ~= "" and tonumber(last) < tonumber(first) then return nil end
  return tonumber(first), last == "" and size - 1 or math.min(tonumber(last), size - 1)
end

local function send(path, tag, headers, coding, large)
  set(RULES.headers)
  set(headers)
  if coding then r.resp_header["Content-Encoding"] = coding.name end
  r.resp_header["ETag"] = tag
  local known = r.req_header["If-None-Match"]
  if known and (known:find(tag, 1, true) or known:match("^%s*%*%s*$")) then return 304 end
  local file = lighty.c.stat(RULES.root .. path)
  if not file or not file["is_file"] then return refuse(500) end
  if large then
    local first, last = range(tag, file["st_size"])
    r.resp_header["Accept-Ranges"] = "bytes"
    if first and first >= file["st_size"] then
      r.resp_header["ETag"] = nil
      r.resp_header["Content-Range"] = "bytes */" .. file["st_size"]
      return refuse(416)
    end
    if first then
      r.resp_header["Content-Range"] = string.format("bytes %d-%d/%d", first, last, file["st_size"])
      r.resp_body.set({ { filename = RULES.root .. path, offset = first, length = last - first + 1 } })
      return 206
    end
  end
  r.resp_body.set({ { filename = RULES.root .. path } })
  return 200
end

local function answer()
  local method, target = r.req_attr["request.method"], r.req_attr["request.orig-uri"]
  if method == "OPTIONS" then
    set(RULES.headers)
    set(RULES.preflight)
    return 204
  end
  if method ~= "GET" and method ~= "HEAD" then return refuse(405) end
  local path, query = target:gsub("^%a+://[^/?#]*", ""):match("^([^?]*)%??(.*)$")
  local redirect = RULES.redirects[path]
  if redirect then
    set(RULES.headers)
    set(RULES.moved)
    r.resp_header["Content-Length"] = "0"
    r.resp_header["Location"] = redirect .. target:match("%??[^?]*$", #path + 1)
    return 301
  end
  local page = path == RULES.listing and requested(query)
  local named = path:sub(1, #RULES.pages) == RULES.pages and path:sub(#RULES.pages + 1):match("^([^/]*)%.json$")
  if named then page = number(named) end
  if path == RULES.listing or named then
    if not page or page > RULES.lastPage then return refuse(404, RULES.invalidPage) end
    local coding = negotiated(r.req_header["Accept-Encoding"] or "")
    local found = digest(page, coding)
    if not found then return refuse(500) end
    local file = RULES.pageFolder .. "/" .. page .. ".json" .. (coding and coding.suffix or "")
    return send(file, '"' .. found .. '"', RULES.page, coding)
  end
  local name = RULES.routes[path] or (path:sub(1, #RULES.folder) == RULES.folder and path:sub(#RULES.folder + 1))
  if not name or not RULES.tags[name] then return refuse(404) end
  if RULES.files[name] then return send(name, RULES.tags[name], RULES.files[name]) end
  local family = RULES.families[name:match("^(.*)/")]
  return send(name, RULES.tags[name], family.headers, nil, family.hasRanges)
end

return answer()
