-- wrk: one request after another, each for a random page. Argument: a file with a line a page, `path<TAB>header<TAB>value`.
local requests = {}

function init(args)
  for line in io.lines(args[1]) do
    local path, name, value = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)$")
    local headers = {}
    if name ~= "" then headers[name] = value end
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\nRESULT {"requests":%d,"seconds":%f,"bytes":%d,"failed":%d,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, failed, latency:percentile(99) / 1e3))
end
