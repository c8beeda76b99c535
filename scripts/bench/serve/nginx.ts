/** nginx over a release, as one would configure it for speed, in one worker. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { USERS_CONTRACT } from "../../../src/contract/contract.js";

/**
 * Without the contract's further headers, which cost nginx a little: it has less to send than the others.
 * @param scratch a folder of this server's own
 * @returns the file of the configuration
 */
export function writeNginxConfig({ folder, port, scratch }: { folder: string; port: number; scratch: string }): string {
  const { path } = USERS_CONTRACT.listing;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(scratch, { recursive: true });
  const file = join(scratch, "nginx.conf");
  // Its worker would be nobody, who may not read what the benchmark has made.
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    file,
    `daemon off;
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
