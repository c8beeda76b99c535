/** Reads the envelope of a page. Records of a canonical page are located, not parsed. */
import * as z from "zod";
import { parseJson } from "./json.js";
import { neighbours, PAGE_SIZE } from "./links.js";
import { type Page, type PagePosition, RECORD_SEPARATOR } from "./page.js";
import { recordsOf } from "./record/split.js";

export interface Envelope extends Omit<Page, "results"> {
  /** Number of records on this page. */
  records: number;
}

/** Computes the envelope that a page must have. A page beyond the last has no records. */
export function expectedEnvelope(position: PagePosition & { pageSize: number }): Envelope {
  const { page, count, pageSize } = position;
  return { count, records: Math.max(0, Math.min(pageSize, count - (page - 1) * pageSize)), ...neighbours(position) };
}

/** Names the members in which two envelopes differ. */
export function envelopeDifferences(found: Envelope, expected: Envelope): (keyof Envelope)[] {
  return (["count", "records", "previous", "next"] as const).filter((key) => found[key] !== expected[key]);
}

/** A page's envelope with its frame; without canonical form, with its parsed records instead. */
export type PageBody = { envelope: Envelope } & ({ frame: Frame } | { results: readonly unknown[] });

/** Reads a page from a body, or says why it is not a page: "is HTML". */
export function readBody(body: Buffer): PageBody | { why: string } {
  const frame = readFrame(body);
  if (!frame) return parse(body.toString("utf8"));
  const { count, next, previous } = frame;
  return { envelope: { count, next, previous, records: frame.records.length }, frame };
}

/** Byte offsets of a record; the end is exclusive. */
export type Span = readonly [begin: number, end: number];

/** The envelope of a canonical page, with the span of each record. */
export interface Frame extends Omit<Envelope, "records"> {
  records: readonly Span[];
}

/** Splits a canonical page into its head and its lines, one record a line; undefined if it is not in canonical form. */
export function readFrame(body: Buffer): Frame | undefined {
  const [head, count, next = "", previous = ""] = HEAD.exec(body.toString("latin1", 0, LONGEST_HEAD)) ?? [];
  if (head === undefined || !Number.isSafeInteger(Number(count))) return undefined;
  const records = findRecords(body, head.length);
  return records && { count: Number(count), next: JSON.parse(next), previous: JSON.parse(previous), records };
}

const HEAD = /^\{"count":(0|[1-9]\d{0,15}),"next":(null|"[!#-[\]-~]+"),"previous":(null|"[!#-[\]-~]+"),"results":\[/;
/** Far longer than a head with two links and a number. */
const LONGEST_HEAD = 16_384;

const NEWLINE = 0x0a;
const TAIL = "]}\n";

function findRecords(body: Buffer, from: number): Span[] | undefined {
  const tail = body.length - TAIL.length;
  if (tail < from || body.toString("latin1", tail) !== TAIL) return undefined;
  if (tail === from) return [];
  const begin = from + 1;
  if (body[from] !== NEWLINE || body[tail - 1] !== NEWLINE) return undefined;
  const text = body.toString("latin1", begin, tail - 1);
  const records: Span[] = [];
  for (const [, at, end] of recordsOf({ first: 0, text })) {
    if (text[at] !== "{" || text[end - 1] !== "}") return undefined;
    if (end < text.length && !text.startsWith(RECORD_SEPARATOR, end)) return undefined;
    if (records.push([begin + at, begin + end]) > PAGE_SIZE.max) return undefined;
  }
  return text.endsWith("}") ? records : undefined;
}

const link = z.union([z.string().max(LONGEST_HEAD), z.null()], { error: "must be a URL or null" });
const schema = z.object({
  count: z.int({ error: "must be an integer" }).min(0, { error: "must not be negative" }),
  next: link,
  previous: link,
  results: z
    .array(z.object({}, { error: "must be an object" }), { error: "must be an array" })
    .max(PAGE_SIZE.max, { error: `must be ${PAGE_SIZE.max} records at most` }),
});

function parse(text: string): PageBody | { why: string } {
  if (/^\s*</.test(text)) return { why: "is HTML" };
  if (text === "") return { why: "is empty" };
  const read = parseJson(text);
  if ("why" in read) return read;
  const { data, error } = schema.safeParse(read.value);
  if (!data) {
    const [issue] = error.issues;
    const path = issue?.path.join(".") ?? "";
    return { why: path ? `is not a page: its ${path} ${issue?.message}` : "is JSON, but not a page" };
  }
  const { count, next, previous } = data;
  // The original records: the schema's copies have no keys.
  const { results } = read.value as { results: unknown[] };
  return { envelope: { count, next, previous, records: results.length }, results };
}
