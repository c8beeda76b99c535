// What node:http alone can do: every page preloaded, its headers made, and no check of anything. argv: folder, port.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [, , folder, port] = process.argv;
const root = join(folder, "api/users/pages");
const snapshot = JSON.parse(readFileSync(join(folder, "snapshot.json"), "utf8"));
const common = [
  ...["Allow", "GET, HEAD, OPTIONS", "Vary", snapshot.encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept"],
  ...["Access-Control-Allow-Origin", "*", "X-Content-Type-Options", "nosniff", "Snapshot-Id", snapshot.id],
  ...["Access-Control-Expose-Headers", "ETag, Snapshot-Id", "Content-Type", "application/json"],
  ...["Cache-Control", "public, max-age=60"],
];

const pages = { identity: new Map(), gzip: new Map(), br: new Map() };
const ENDINGS = { gzip: ".gz", br: ".br" };
for (const name of readdirSync(root).filter((name) => name.endsWith(".json"))) {
  const url = `/api/users/?format=api&page=${name.slice(0, -5)}`;
  pages.identity.set(url, load(join(root, name), []));
  for (const [coding, ending] of Object.entries(ENDINGS)) {
    const packed = join(root, name + ending);
    if (existsSync(packed)) pages[coding].set(url, load(packed, ["Content-Encoding", coding]));
  }
}

function load(file, further) {
  const body = readFileSync(file);
  const etag = `"${createHash("sha256").update(body).digest("hex")}"`;
  const headers = [...common, ...further, "ETag", etag];
  return { body, etag, headers, whole: [...headers, "Content-Length", `${body.length}`] };
}

createServer((req, res) => {
  const page = (pages[req.headers["accept-encoding"]] ?? pages.identity).get(req.url);
  if (!page) res.writeHead(404).end();
  else if (req.headers["if-none-match"] === page.etag) res.writeHead(304, page.headers).end();
  else res.writeHead(200, page.whole).end(page.body);
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
