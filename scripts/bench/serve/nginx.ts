/** nginx over a release, as one would configure it for speed, in one worker. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { USERS_CONTRACT } from "../../../src/contract/contract.js";
import { commonHeaders, DEFAULT_CACHE_CONTROL, snapshotHeaders } from "../../../src/contract/headers.js";

/** Where Debian has the module that sends `.br` files. Without it, nginx answers brotli's requests with gzip. */
const BROTLI = "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so";
export const HAS_BROTLI = existsSync(BROTLI);

/**
 * It sends the headers that Rollcall sends, tags of its own aside, and keeps the files open: more than any page needs.
 * @param scratch a folder of this server's own
 * @returns the file of the configuration
 */
export function writeNginxConfig({ folder, port, scratch }: { folder: string; port: number; scratch: string }): string {
  const { path } = USERS_CONTRACT.listing;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(scratch, { recursive: true });
  const file = join(scratch, "nginx.conf");
  const { id, encodings, base_url } = JSON.parse(readFileSync(join(folder, "snapshot.json"), "utf8"));
  const headers = {
    ...commonHeaders(encodings, `${base_url}/openapi.json`),
    ...snapshotHeaders(id),
    "Cache-Control": DEFAULT_CACHE_CONTROL,
  };
  const quoted = Object.entries(headers).map(([name, value]) => `add_header ${name} '${value}';`);
  // Its worker would be nobody, who may not read what the benchmark has made.
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    file,
    `${HAS_BROTLI ? `load_module ${BROTLI};` : ""}
daemon off;
${isRoot ? "user root;" : ""}
worker_processes 1;
pid ${scratch}/nginx.pid;
error_log ${scratch}/error.log;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${scratch}/${name};`).join("\n  ")}
  access_log off;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip_static on;
  ${HAS_BROTLI ? "brotli_static on;" : ""}
  open_file_cache max=40000 inactive=1h;
  open_file_cache_valid 1h;
  open_file_cache_min_uses 1;
  ${quoted.join("\n  ")}
  keepalive_requests 1000000000;
  default_type application/json;
  map $arg_page $number { "" 1; default $arg_page; }
  server {
    listen 127.0.0.1:${port};
    root "${folder}";
    location = ${path} { try_files ${path}pages/$number.json =404; }
  }
}
`,
  );
  return file;
}
