/** Each case through the real host. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pageUrl } from "../src/contract/links.js";
import { createServer, openRelease, type Page } from "../src/index.js";
import { buildCase, CASE_FOLDERS } from "./support/cases.js";

const published = [...CASE_FOLDERS].filter(([name]) => name !== "refused");

test.each(published)(
  "%s: every page is its file, and the links lead through all of them and back",
  async (_, folder) => {
    const release = await buildCase(folder);
    const { snapshot, paths } = await openRelease(release);
    const listing = `${snapshot.base_url}${paths.listing}`;
    const host = await createServer({ folder: release });
    onTestFinished(() => host.close());
    const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
    const ask = async (link: string) => {
      const answer = await fetch(link.replace(snapshot.base_url, url));
      expect(answer.headers.get("Snapshot-Id")).toBe(snapshot.id);
      return { status: answer.status, text: await answer.text() };
    };

    let link: string | null = `${listing}?format=api`;
    let previous: string | null = null;
    let users = 0;
    for (let page = 1; page <= snapshot.pages; page++) {
      expect(link, `page ${page}`).not.toBeNull();
      const { status, text } = await ask(link ?? "");
      expect(status).toBe(200);
      expect(text).toBe(readFileSync(join(folder, "expected", paths.path(page)), "utf8"));
      const envelope: Page = JSON.parse(text);
      expect(envelope.previous).toBe(previous);
      expect(envelope.count).toBe(snapshot.count);
      users += envelope.results.length;
      const place = { baseUrl: snapshot.base_url, path: paths.listing, links: snapshot.links };
      previous = page === 1 ? pageUrl(place, 1) : link;
      link = envelope.next;
    }
    expect(link).toBeNull();
    expect(users).toBe(snapshot.count);
    const beyond = await ask(`${listing}?page=${snapshot.pages + 1}`);
    expect(beyond).toEqual({ status: 404, text: '{"detail":"Invalid page."}' });
  },
);
