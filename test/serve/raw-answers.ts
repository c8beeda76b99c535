/** Splits the bytes of a connection into responses, and accepts only valid HTTP. */
export interface RawAnswer {
  status: number;
  /** By lowercase name. */
  headers: Map<string, string>;
  body: Buffer;
}

/**
 * @param methods of the requests, in order, since an answer to HEAD promises a body and has none
 * @returns the answers that are whole, and the bytes after them.
 */
export function parseAnswers(bytes: Buffer, methods: readonly string[]): { answers: RawAnswer[]; rest: Buffer } {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    if (headEnd === -1) break;
    const [first = "", ...lines] = bytes.toString("latin1", at, headEnd).split("\r\n");
    const [, status] = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/.exec(first) ?? [];
    if (!status) break;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = /^([\w-]+): ([\x20-\x7e]*)$/.exec(line) ?? [];
      if (!name || headers.has(name.toLowerCase())) throw new Error(`${JSON.stringify(line)} is a bad header`);
      headers.set(name.toLowerCase(), value ?? "");
    }
    const bodiless = status === "204" || status === "304" || methods[answers.length] === "HEAD";
    const length = bodiless ? 0 : Number(headers.get("content-length"));
    const end = headEnd + 4 + length;
    if (!(end <= bytes.length)) break;
    answers.push({ status: Number(status), headers, body: bytes.subarray(headEnd + 4, end) });
    at = end;
  }
  return { answers, rest: bytes.subarray(at) };
}
