/** Checks feed.xml: its form, its address, and that the newest entry is about the records of this release. */
import { join } from "node:path";
import { digestOfRecords, type Feed, parseFeed } from "../../build/artifacts/feed/file.js";
import { FEED } from "../../core/release/layout.js";
import type { AddFinding } from "./files.js";
import { readPageFile } from "./page-check.js";

/** A release, or the top of a site. */
interface FedRelease {
  folder: string;
  baseUrl: string;
  listings: Parameters<typeof digestOfRecords>[0];
}

/** Checks the feed of a release that lists one. A file that cannot be read is a finding of others. */
export function checkFeed({ folder, baseUrl, listings }: FedRelease, add: AddFinding): void {
  const bytes = readPageFile(join(folder, FEED));
  if (bytes === undefined) return;
  const feed: Feed | { why: string } = bytes === "too large" ? { why: "is too large" } : parseFeed(String(bytes));
  if ("why" in feed) {
    add(FEED, { found: `a file that ${feed.why}`, expected: "a feed as a build writes it" });
    return;
  }
  if (feed.baseUrl !== baseUrl) add(FEED, { found: `the feed of ${feed.baseUrl}`, expected: `that of ${baseUrl}` });
  const found = feed.entries[0]?.digest;
  const expected = digestOfRecords(listings);
  if (found !== expected)
    add(FEED, { found: `a newest entry about ${found}`, expected: `${expected}, of these contracts and records` });
}
