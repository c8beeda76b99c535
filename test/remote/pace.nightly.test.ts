/** Requests to a host come no faster than allowed, and none before the time that it asked to wait for. */
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/remote/client.js";
import { front } from "../support/front.js";
import { now } from "../support/time.js";

test("requests are no faster than allowed", async () => {
  const { baseUrl } = await front();
  const client = createClient({ rate: 40 });
  onTestFinished(() => client.close());
  const began = now();
  await Promise.all(Array.from({ length: 20 }, () => client.request(baseUrl)));
  expect(now() - began).toBeGreaterThan(19 * 25 - 5);
});

test("a host that is busy is left alone for as long as it asks", async () => {
  const { baseUrl, asked, intercept } = await front();
  let refusals = 2;
  intercept((_req, res) => (refusals-- > 0 ? res.writeHead(503, { "Retry-After": "1" }).end() : false));
  const client = createClient();
  onTestFinished(() => client.close());
  const began = now();
  expect((await client.request(`${baseUrl}/api/users/`)).status).toBe(200);
  expect(now() - began).toBeGreaterThan(1_900);
  expect(asked).toHaveLength(3);
});
