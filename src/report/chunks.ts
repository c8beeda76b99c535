/** Joins many small texts into few large ones, because each write to a pipe is expensive. */

const CHUNK = 64 * 1024;

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
