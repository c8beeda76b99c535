/** What the client of a mirror may read: what a request of it may hold in memory is bounded by what the file is. */
import { expect, test } from "vitest";
import { createClient } from "../../src/remote/client.js";
import { fetchBy } from "../../src/remote/fetch.js";

test.each([
  ["SHA256SUMS", 2 ** 28],
  ["SHA256SUMS?v=0123456789ab", 2 ** 28],
  ["api/users/?format=api&page=2&v=0123456789ab-2", 2 ** 23],
  ["api/users/pages/2.json", 2 ** 23],
  ["bulk/1.ndjson.gz", 2 ** 25],
])("%s may have %i bytes", async (path, most) => {
  const client = createClient();
  let given: number | undefined;
  const once: typeof client.once = async (url, how = {}) => {
    given = how.maxBytes;
    return { url, status: 404, headers: [], body: Buffer.alloc(0) } as unknown as Awaited<
      ReturnType<typeof client.once>
    >;
  };
  await fetchBy({ ...client, once })(`https://directory.example.com/${path}`);
  expect(given).toBe(most);
});
