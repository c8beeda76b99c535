/** Netlify's own parts with a release as the site: node netlify.mjs FOLDER RELEASE PORT, until SIGTERM. FOLDER holds netlify/edge-functions. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EdgeFunctionsHandler } from "@netlify/edge-functions-dev";
import { StaticHandler } from "@netlify/static";
import { runInstall } from "deno/install_api.cjs";

const [, , folder, release, port] = process.argv;
const origin = `http://127.0.0.1:${port}`;

// Their bridge to Deno takes one from the PATH before it would download its own.
process.env.PATH = [dirname(runInstall()), process.env.PATH].join(delimiter);
const functions = new EdgeFunctionsHandler({
  configDeclarations: [],
  directories: [join(folder, "netlify/edge-functions")],
  env: { DENO_DIR: join(folder, "deno"), DENO_NO_UPDATE_CHECK: "1" },
  geolocation: {},
  logger: console,
});
const files = new StaticHandler({ directory: release });

const server = createServer(async (req, res) => {
  try {
    const answer = await answerTo(toRequest(req));
    res.writeHead(answer.status, Object.fromEntries(answer.headers));
    await (answer.body ? pipeline(Readable.fromWeb(answer.body), res) : res.end());
  } catch (error) {
    // A Request cannot be TRACE, among others.
    if (!(error instanceof TypeError)) console.error(error);
    res.destroy();
  }
});

/** The function first, and the site's files for what it asks of them. */
async function answerTo(request) {
  const found = (await functions.match(request)) ?? (await files.match(request));
  return found ? found.handle(request, origin) : new Response("Not Found", { status: 404 });
}

function toRequest(req) {
  const headers = new Headers(
    Object.entries(req.headersDistinct).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  // Their network numbers requests before it asks a function.
  headers.set("x-nf-request-id", randomUUID());
  const body = ["GET", "HEAD"].includes(req.method) ? undefined : Readable.toWeb(req);
  // As a reference, a target with two slashes would name another host.
  return new Request(origin + req.url, {
    method: req.method,
    headers,
    body,
    duplex: "half",
    redirect: "manual",
  });
}

// The first question waits for Deno.
await answerTo(new Request(`${origin}/`));
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => functions.stop().then(() => process.exit(0)));
