-- wrk script: requests random pages. Argument: a file with a line for each page, `path<TAB>header<TAB>value`.
local requests = {}

function init(args)
  for line in io.lines(args[1]) do
    local path, name, value = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)$")
    requests[#requests + 1] = wrk.format("GET", path, { [name] = value })
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end

-- Slow requests are not failures: they count in p99.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\nRESULT {"requests":%d,"seconds":%f,"failed":%d,"p99":%f}\n', summary.requests,
    summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.status, latency:percentile(99) / 1e3))
end
