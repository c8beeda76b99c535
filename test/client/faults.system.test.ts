/** Proves that the client finds faults: one at a time, in a server that is otherwise right. */
import { expect, onTestFinished, test } from "vitest";
import { report } from "./client.js";
import { IN_ANSWERS } from "./faults-in-answers.js";
import { IN_PAGES } from "./faults-in-pages.js";
import { type Fault, serveReference } from "./reference.js";

async function found(fault: Fault): Promise<string[]> {
  const { url, close } = await serveReference(fault);
  onTestFinished(close);
  return report(url, { pageSize: 3 });
}

test("nothing is found in a server that has none", async () => {
  expect(await found({})).toEqual([]);
});

test.for([...IN_PAGES, ...IN_ANSWERS])("found: %s", async ([, fault, line]) => {
  const lines = await found(fault);
  expect(lines.filter((one) => one.startsWith(line))).not.toEqual([]);
});

test("found: two snapshots in one walk, and pages that change between two looks", async () => {
  let asked = 0;
  const mixed = await found({
    reply: ({ reply }) => ({
      ...reply,
      headers: { ...reply.headers, "Snapshot-Id": asked++ < 2 ? "one" : "two" },
    }),
  });
  expect(mixed.filter((line) => line.startsWith("one snapshot: "))).not.toEqual([]);
  let looks = 0;
  const moving = await found({ text: (page) => page.replace("Line one", `Line ${looks++}`) });
  expect(moving.filter((line) => line.startsWith("same page: "))).not.toEqual([]);
});

test("a server that is not there, and one that is not this machine", async () => {
  const { url, close } = await serveReference();
  close();
  expect(await report(url)).not.toEqual([]);
  await expect(report("https://example.com")).rejects.toThrow("not loopback");
});
