/** Reads and writes feed.xml, an Atom feed (RFC 4287) with an entry for each of the last releases that changed something. */
import { createHash } from "node:crypto";
import { FEED, FEED_TYPE, isInId } from "../../../core/release/layout.js";
import { pathInSite } from "../../../core/release/site.js";
import { encodeSum, type Sums } from "../../../core/release/sums.js";
import { html, type Markup } from "../../../explorer/markup/markup.js";

/** Maximum number of entries. */
const MOST_ENTRIES = 20;
/** Maximum bytes of the file. */
const MOST_FEED_BYTES = 1_000_000;
/** Digits of the digest of records in the id of an entry. */
const DIGEST_DIGITS = 16;

export interface FeedEntry {
  title: string;
  /** The time of its release in UTC, in seconds: `2026-11-21T03:40:00Z`. Each entry has another one. */
  updated: string;
  /** The beginning of the digest of the contracts and records that it leads to, see `digestOfRecords`. */
  digest: string;
  /** The URL of the explorer, if the release has one. */
  page: string | undefined;
  /** HTML. */
  content: string;
}

export interface Feed {
  title: string;
  baseUrl: string;
  author: string;
  page: string | undefined;
  /** Newest first, at least one. */
  entries: readonly FeedEntry[];
}

/**
 * The first 16 digits of the SHA-256 of the sorted lines of SHA256SUMS for contract.json and records.sha256, of all listings of a
 * site. They name what a feed tells of: settings that only change pages do not change them.
 */
export function digestOfRecords(listings: readonly { name: string; sums: Pick<Sums, "others"> }[]): string {
  const lines = listings.flatMap(({ name, sums }) =>
    [...sums.others]
      .filter(([path]) => isInId(path))
      .map(([path, digest]) => encodeSum(digest, pathInSite(name, path))),
  );
  const hash = createHash("sha256").update(lines.sort().join(""));
  return hash.digest("hex").slice(0, DIGEST_DIGITS);
}

/** The URL of the feed, which is also its id. */
function feedUrl(baseUrl: string): string {
  return `${baseUrl}/${FEED}`;
}

/** Writes feed.xml with the newest entries that have room. Equal arguments give equal bytes. */
export function encodeFeed(feed: Feed): string {
  const entries = feed.entries.slice(0, MOST_ENTRIES);
  let text = written({ ...feed, entries });
  while (Buffer.byteLength(text) > MOST_FEED_BYTES && entries.length > 1) {
    entries.pop();
    text = written({ ...feed, entries });
  }
  return text;
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** The escapes of the templates of HTML are also those of XML. */
function written({ title, baseUrl, author, page, entries }: Feed): string {
  const url = feedUrl(baseUrl);
  const { source } = html`<feed xmlns="http://www.w3.org/2005/Atom">
<title>${title}</title>
<id>${url}</id>
<updated>${entries[0]?.updated}</updated>
<author><name>${author}</name></author>
<generator>Rollcall</generator>
<link rel="self" type="${FEED_TYPE}" href="${url}"/>
${linkTo(page)}${entries.map((entry) => writtenEntry(entry, url))}</feed>
`;
  return `${DECLARATION}\n${source}`;
}

function writtenEntry({ title, updated, digest, page, content }: FeedEntry, url: string): Markup {
  return html`<entry>
<title>${title}</title>
<id>${url}#${updated}-${digest}</id>
<updated>${updated}</updated>
${linkTo(page)}<content type="html">${content}</content>
</entry>
`;
}

function linkTo(page: string | undefined): Markup | undefined {
  return page === undefined ? undefined : html`<link rel="alternate" type="text/html" href="${page}"/>\n`;
}

/** Text between tags, without white space other than spaces. */
const TEXT = "([^<>\n]*)";
const TIME = "(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)";
const PAGE = `(?:<link rel="alternate" type="text/html" href="${TEXT}"/>\n)?`;
/** What stands before the first entry. The file is written again to compare the rest. */
const HEAD = new RegExp(
  `^[^\n]*\n<feed[^\n]*\n<title>${TEXT}</title>\n<id>${TEXT}/${FEED}</id>\n<updated>[^\n]*\n<author><name>${TEXT}</name></author>\n<generator>[^\n]*\n<link[^\n]*\n${PAGE}`,
);
const ENTRY = new RegExp(
  `<entry>\n<title>${TEXT}</title>\n<id>[^#\n]*#[^\n]*-([0-9a-f]{${DIGEST_DIGITS}})</id>\n<updated>${TIME}</updated>\n${PAGE}<content type="html">${TEXT}</content>\n</entry>\n`,
  "g",
);

/** Parses feed.xml, which must have exactly the form that `encodeFeed` writes, or says why it is invalid, as the end of a sentence. */
export function parseFeed(text: string): Feed | { why: string } {
  const head = HEAD.exec(text);
  if (!head) return { why: "does not begin as a feed of Rollcall does" };
  const entries = [...text.matchAll(ENTRY)].map(([, title, digest = "", updated = "", page, content]): FeedEntry => {
    return { title: plain(title), updated, digest, page: page && plain(page), content: plain(content) };
  });
  const [, title, baseUrl, author, page] = head;
  const feed: Feed = {
    title: plain(title),
    baseUrl: plain(baseUrl),
    author: plain(author),
    page: page && plain(page),
    entries,
  };
  if (entries.length === 0) return { why: "has no entry" };
  if (entries.length > MOST_ENTRIES)
    return { why: `has ${entries.length} entries; at most ${MOST_ENTRIES} are allowed` };
  const times = entries.map(({ updated }) => updated);
  const invalid = times.find((time) => !isTime(time));
  if (invalid !== undefined) return { why: `has an entry with the time ${invalid}, which does not exist` };
  const late = times.find((time, at) => at > 0 && time >= (times[at - 1] ?? ""));
  if (late !== undefined) return { why: `has an entry of ${late} after one that is not newer` };
  if (Buffer.byteLength(text) > MOST_FEED_BYTES) return { why: `is larger than ${MOST_FEED_BYTES} bytes` };
  return encodeFeed(feed) === text ? feed : { why: "has another form than Rollcall writes" };
}

function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && timeText(time) === text;
}

/** A time in whole seconds, as entries have it. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, "2026-11-21T03:40:00".length)}Z`;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The text that templates escaped. */
function plain(escaped = ""): string {
  return escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, (reference) => CHARACTERS[reference] ?? "");
}
