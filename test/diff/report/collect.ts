/** A whole report as one text. */
export async function collect(report: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const part of report) text += part;
  return text;
}

/** No colours. */
export const plain = (_format: unknown, text: string) => text;
