/** CloudFront without Amazon: runs its function in a bare VM, and serves a bucket behind it. */
import { createServer } from "node:http";
import vm from "node:vm";

/** A request that goes on to the bucket, or, with `statusCode`, a response. */
export interface Reply {
  statusCode?: number;
  uri?: string;
  headers: Record<string, { value: string }>;
  body?: { data: string };
}

/** What the function makes of a request. */
export function answerOf(text: string, method: string, uri: string, query: string): Reply {
  const context = vm.createContext({});
  vm.runInContext(text, context);
  const event = {
    version: "1.0",
    context: { eventType: "viewer-request" },
    viewer: { ip: "1.2.3.4" },
    request: { method, uri, querystring: toEvent(query), headers: { host: { value: "x" } }, cookies: {} },
  };
  return vm.runInContext(`JSON.parse(JSON.stringify(handler(${JSON.stringify(event)})))`, context);
}

/** The query as CloudFront passes it: names and values as sent, and repeated ones also as multiValue. */
function toEvent(query: string): Record<string, { value: string; multiValue?: { value: string }[] }> {
  const event: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const part of query.split("&").filter(Boolean)) {
    const [name = "", value = ""] = part.split("=");
    const before = event[name];
    if (before) before.multiValue = [...(before.multiValue ?? [{ value: before.value }]), { value }];
    event[name] = before ? { ...before, value } : { value };
  }
  return event;
}

/** The response headers policy that the docs ask for. */
const POLICY = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link",
  "X-Content-Type-Options": "nosniff",
  Allow: "GET, HEAD, OPTIONS",
  Vary: "Accept",
  Link: '</openapi.json>; rel="service-desc"',
};

/** Headers of a request that CloudFront passes to a bucket. */
const PASSED = ["range", "if-none-match", "if-modified-since", "if-range"];
/** Headers of the bucket that readers get. */
const RETURNED = ["content-type", "content-length", "content-range", "cache-control", "etag", "last-modified"];

/**
 * A distribution in front of a bucket.
 * @param code the text of the published function, asked at each request
 * @param bucket its URL
 * @param own headers for the bucket
 */
export function createDistribution(code: () => string, bucket: string, own: Record<string, string>) {
  return createServer(async ({ method = "", url = "", headers }, response) => {
    const [path = "", query = ""] = url.split("?");
    const reply = answerOf(code(), method, path, query);
    for (const [name, value] of Object.entries(POLICY)) response.setHeader(name, value);
    if (reply.statusCode !== undefined) {
      for (const [name, { value }] of Object.entries(reply.headers)) response.setHeader(name, value);
      response.writeHead(reply.statusCode).end(reply.body?.data);
      return;
    }
    const passed = PASSED.flatMap((name) => (headers[name] === undefined ? [] : [[name, `${headers[name]}`]]));
    const answer = await fetch(`${bucket}${reply.uri}`, { method, headers: { ...own, ...Object.fromEntries(passed) } });
    for (const name of RETURNED) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
}
