/** The same cases pass in every runtime of the client, against every kind of host. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMissing } from "../../support/installed.js";
import { markOf } from "./cases.mjs";
import { KINDS, type Station, stationOf, type Turn } from "./hosts.js";
import { casesIn, RUNTIMES } from "./runtimes.js";

const HOSTS = ["nginx", "minisign"];

describe.skipIf(isMissing(...HOSTS)).each(RUNTIMES.map((runtime) => [runtime.name, runtime] as const))(
  "%s",
  (_, runtime) => {
    test.skipIf(isMissing(...runtime.needs)).each(KINDS)("reads %s", async (kind) => {
      const station = await stationOf(kind);
      const { runCases } = await casesIn(runtime);
      const rows = await runCases({ control: await control(station), hosts: [station.host] });
      const wrong = rows.filter((row) => row.wrong !== undefined).map(({ name, wrong }) => `${name}: ${wrong}`);
      expect(wrong).toEqual([]);
      expect(rows.length).toBeGreaterThan(0);
    });
  },
);

const NEEDS = RUNTIMES.flatMap(({ needs }) => needs);

test.skipIf(isMissing(...HOSTS, ...NEEDS))("a position goes from one runtime to the next", async () => {
  const { host, switchTo } = await stationOf("serve");
  await switchTo("first");
  const texts: string[] = [];
  let after: unknown;
  for (const runtime of [...RUNTIMES, ...RUNTIMES]) {
    const { runPart } = await casesIn(runtime);
    // No part ends where a page does.
    const part = await runPart({ host, after, count: 27 });
    texts.push(...part.texts);
    after = part.after;
  }
  expect(texts.map(markOf)).toEqual(host.releases.first.marks);
});

/** Lets another runtime switch a host, and ask what it was asked. */
async function control(station: Station): Promise<string> {
  const verbs: Record<string, (given: string) => unknown> = {
    switch: async (turn) => station.switchTo(turn as Turn),
    requests: () => station.requests(),
  };
  const server = createServer(async ({ url = "" }, res) => {
    const [, , verb = "", given = ""] = url.split("/");
    res.setHeader("Access-Control-Allow-Origin", "*");
    try {
      res.end(JSON.stringify((await verbs[verb]?.(given)) ?? null));
    } catch (error) {
      res.writeHead(500).end(`${error}`);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
