/** Many small texts as few large ones: a write to a pipe costs more than what it carries. */

const CHUNK = 64 * 1024;

/** The same text in pieces of some 64,000 characters. */
export async function* chunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
