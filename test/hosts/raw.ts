import { connect } from "node:net";

// HTTP/1.1 over a bare socket: what is sent is exactly what is given, and what comes back is taken apart
// without a library that would repair it.

export interface Request {
  method: string;
  target: string;
  headers?: [string, string][];
  /** The name of the host; that of the origin unless given. */
  host?: string;
  body?: string;
  /** Sent in place of everything above; `method` and `target` then only name it. */
  verbatim?: string;
}

export interface Answer {
  name: string;
  /** 0 when nothing that is HTTP came back. */
  status: number;
  headers: [string, string][];
  body: Buffer;
  /** What is wrong with the message itself: cut short, bytes after its end. */
  trouble: string[];
}

export function header(answer: Answer, name: string): string | undefined {
  const values = answer.headers.filter(([key]) => key === name).map(([, value]) => value);
  return values.length > 0 ? values.join(", ") : undefined;
}

export function send(origin: URL, request: Request): Promise<Answer> {
  const name = `${request.method} ${request.target.slice(0, 120)}`;
  const extras = (request.headers ?? []).map(([key, value]) => `${key}: ${value}`).join(" | ");
  const text =
    request.verbatim ??
    [
      `${request.method} ${request.target} HTTP/1.1`,
      `Host: ${request.host ?? origin.host}`,
      "Connection: close",
      ...(request.headers ?? []).map(([key, value]) => `${key}: ${value}`),
      ...(request.body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(request.body)}`]),
      "",
      request.body ?? "",
    ].join("\r\n");
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const trouble: string[] = [];
    const socket = connect({
      host: origin.hostname.replace(/^\[|\]$/g, ""),
      port: Number(origin.port || 80),
    });
    socket.on("data", (part) => {
      parts.push(part);
      // Some hosts keep a connection that they were asked to close. What they sent too much still arrives before they close it.
      if (isWhole(Buffer.concat(parts), request.method === "HEAD")) socket.end();
    });
    socket.on("error", (error) => trouble.push(error.message));
    socket.on("close", () => {
      const answer = parse(Buffer.concat(parts), request.method === "HEAD");
      answer.name = extras === "" ? name : `${name} [${extras.slice(0, 120)}]`;
      if (answer.status === 0) answer.trouble.push(...trouble);
      resolve(answer);
    });
    // A header may hold any byte: what is meant as UTF-8 has to be spelt so by the caller.
    socket.write(Buffer.from(text, "latin1"));
  });
}

function isWhole(bytes: Buffer, headless: boolean): boolean {
  const { status, trouble, headers } = parse(bytes, headless);
  const sized =
    headless ||
    status === 204 ||
    status === 304 ||
    headers.some(([key]) => /^(content-length|transfer-encoding)$/.test(key));
  return status >= 200 && sized && trouble.length === 0;
}

function parse(bytes: Buffer, headless: boolean): Answer {
  const end = bytes.indexOf("\r\n\r\n");
  const answer: Answer = { name: "", status: 0, headers: [], body: Buffer.alloc(0), trouble: [] };
  const [first = "", ...lines] = bytes.toString("latin1", 0, Math.max(end, 0)).split("\r\n");
  const status = /^HTTP\/1\.1 ([1-5]\d\d)(?: .*)?$/.exec(first)?.[1];
  if (end < 0 || status === undefined) {
    answer.trouble.push(bytes.length === 0 ? "closed without an answer" : "not an HTTP/1.1 answer");
    return answer;
  }
  const rest = bytes.subarray(end + 4);
  answer.status = Number(status);
  if (answer.status < 200 && answer.status !== 101) return parse(rest, headless);
  for (const line of lines) {
    const parts = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (parts === null) answer.trouble.push(`not a header: ${JSON.stringify(line)}`);
    else answer.headers.push([(parts[1] ?? "").toLowerCase(), parts[2] ?? ""]);
  }
  takeBody(answer, rest, headless);
  return answer;
}

function takeBody(answer: Answer, rest: Buffer, headless: boolean): void {
  const length = header(answer, "content-length");
  const coding = header(answer, "transfer-encoding");
  if (length !== undefined && !/^\d+$/.test(length)) answer.trouble.push(`Content-Length: ${length}`);
  if (length !== undefined && coding !== undefined) answer.trouble.push("two ways to say the body's length");
  if (headless || answer.status === 204 || answer.status === 304) {
    if (rest.length > 0) answer.trouble.push(`a body of ${rest.length} bytes where there is none`);
  } else if (coding?.toLowerCase() === "chunked") {
    answer.body = chunks(rest, answer.trouble);
  } else {
    answer.body = rest.subarray(0, length === undefined ? rest.length : Number(length));
    const missing = length === undefined ? 0 : Number(length) - rest.length;
    if (missing > 0) answer.trouble.push(`${missing} bytes of the body are missing`);
    if (missing < 0) answer.trouble.push(`${-missing} bytes after the end of the body`);
  }
}

function chunks(bytes: Buffer, trouble: string[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, Math.max(line, at)), 16);
    if (line < 0 || Number.isNaN(size) || line + 2 + size > bytes.length) {
      trouble.push("a chunk is cut short");
      return Buffer.concat(parts);
    }
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
