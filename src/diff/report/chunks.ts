/** Joins small texts into large chunks, since each write to a pipe is expensive. */

/** Minimum characters of a chunk. */
const CHUNK = 64 * 1024;

/** Joins texts into chunks. */
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
