/** Words that a thread of its own sorts and cuts: the same files as one thread makes, however many there are. */
import { expect, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import { USERS } from "../../src/contract/users.js";
import { Gatherer } from "../../src/lookup/gatherer.js";

/** As it is compiled, since a thread runs a compiled module. */
const { LookupWriter }: typeof import("../../src/lookup/writer.js") = await import(
  new URL("../../lib/lookup/writer.js", import.meta.url).href
);

const contract = contractOf(USERS);

/** Names that share beginnings, and words that many have. */
function recordOf(number: number): string {
  const id = `${String((number * 7919) % 100_000).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const name = `name${(number * 31) % 997} everybody${number % 3} ${"é".repeat(number % 40)}`;
  return `{"display_name":"${name}","first_name":"","id":"${id}","last_name":"","username":"user${number}"}`;
}

async function make(count: number, least: number, shared: { signal: AbortSignal | undefined } | undefined) {
  const writer = new LookupWriter({ contract, count, least, shared });
  const files = new Map<string, string>();
  try {
    const gatherer = new Gatherer(contract);
    for (let first = 0; first < count; first += 100) {
      const records = Buffer.from(
        Array.from({ length: Math.min(100, count - first) }, (_, at) => recordOf(first + at)).join(",\n"),
      );
      gatherer.add(first, records, records.toString("latin1"));
      await writer.take(gatherer.finish());
    }
    await writer.finish((path, bytes) => void files.set(path, String(bytes)));
  } finally {
    await writer.close();
  }
  return files;
}

test.each([
  ["none", 0, 2 ** 16, 1, 1],
  ["a few", 3000, 2 ** 10, 50, 500],
  ["so many that the later ones are larger", 3000, 1, 590, 600],
])("files of words, %s", async (_, count, least, fewest, most) => {
  const alone = await make(count, least, undefined);
  expect(alone.size).toBeGreaterThanOrEqual(fewest);
  expect(alone.size).toBeLessThanOrEqual(most + 1);
  expect(await make(count, least, { signal: undefined })).toEqual(alone);
});

test("a stopped build does not wait for the thread", async () => {
  const stop = new AbortController();
  const writer = new LookupWriter({ contract, count: 1, shared: { signal: stop.signal } });
  try {
    stop.abort(new Error("stopped"));
    const records = Buffer.from(recordOf(0));
    const gatherer = new Gatherer(contract);
    gatherer.add(0, records, records.toString("latin1"));
    await expect(writer.take(gatherer.finish())).rejects.toThrow("stopped");
    await expect(writer.finish(() => {}, stop.signal)).rejects.toThrow("stopped");
  } finally {
    await writer.close();
  }
});
