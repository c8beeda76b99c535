/** Proves a host's parts: one after the other, as they come, they hold the records of its pages and nothing else. */
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import type { BulkPart } from "../../artifacts/bulk/parts.js";
import { unpackPart } from "../../artifacts/bulk/reader.js";
import { readFrame } from "../../contract/envelope.js";
import { BULK, isPart, MAX_PACKED } from "../../release/layout.js";
import { BULK_HEAD, type NoteFile, noteUnnamed, readHead } from "../heads.js";
import type { Attempt, Place } from "./attempt.js";

const NEWLINE = 0x0a;
/** Of the plain bytes of one part: a host may send what unpacks to far more than it has. */
const MAX_PLAIN = 2 ** 32;

/** The digest of each page's records as the parts have them, a line each; to be compared when the page comes. */
export class PartsOfSite {
  readonly #pages: string[] = [];
  readonly #all = createHash("sha256");
  #page: Hash = createHash("sha256");
  #lines = 0;

  constructor(readonly attempt: Attempt) {}

  /** Asks for every part once, as readers of any coding do; one at a time, so that only one is in memory. */
  async read(): Promise<void> {
    const { release } = this.attempt.site;
    if (!release?.sums.others.has(BULK)) return;
    const answer = await this.attempt.ask(this.#place(BULK), "identity");
    const bulk = readHead(BULK_HEAD, answer ? String(answer.body) : { why: "did not come" }, this.#note);
    if (!bulk) return;
    if (bulk.count !== release.snapshot.count)
      this.#note(BULK, { found: `count ${bulk.count}`, expected: `${release.snapshot.count}` });
    noteUnnamed(BULK_HEAD, bulk.parts, [...release.sums.others.keys()].filter(isPart), this.#note);
    let isWhole = true;
    for (const part of bulk.parts) isWhole = (await this.#readPart(part)) && isWhole;
    if (!isWhole) return void this.#pages.splice(0);
    this.#endPage();
    const all = this.#all.digest("hex");
    if (all !== bulk.sha256)
      this.#note(BULK, { found: `sha256 ${bulk.sha256}`, expected: `${all}, of all plain bytes` });
  }

  /** Compares the records of one page with what the parts have. */
  compare(page: number, url: string, bytes: Buffer): void {
    const found = this.#pages[page - 1];
    const records = readFrame(bytes)?.records;
    if (found === undefined || !records) return;
    const hash = createHash("sha256");
    for (const [begin, end] of records) hash.update(bytes.subarray(begin, end)).update("\n");
    if (hash.digest("hex") === found) return;
    const expected = "the records of the page, byte for byte";
    this.attempt.findings.add({ check: "bulk", page, url, found: "other records in the parts", expected });
  }

  async #readPart({ file, count, bytes, sha256: listed }: BulkPart): Promise<boolean> {
    const body = await this.attempt.askWhole(file, MAX_PACKED + 1);
    if (!body) return false;
    if (body.length !== bytes) this.#note(file, { found: `${body.length} bytes`, expected: `${bytes}, as in ${BULK}` });
    const { why, lines, plain } = await this.#unpack(body);
    if (why !== undefined) this.#note(file, { found: `a file that ${why}`, expected: "one whole gzip" });
    else if (lines !== count) this.#note(file, { found: `${lines} records`, expected: `${count}, as in ${BULK}` });
    else if (plain !== listed)
      this.#note(BULK, { found: `sha256 ${listed} of ${file}`, expected: `${plain}, of its plain bytes` });
    return why === undefined && lines === count;
  }

  async #unpack(body: Buffer): Promise<{ why: string | undefined; lines: number; plain: string }> {
    const unpacked = unpackPart(Readable.from([body], { objectMode: false }), body.length);
    const own = createHash("sha256");
    let [lines, size] = [0, 0];
    try {
      for (;;) {
        const { done, value } = await unpacked.next();
        if (done) return { why: value, lines, plain: own.digest("hex") };
        size += value.length;
        if (size > MAX_PLAIN) return { why: `unpacks to more than ${MAX_PLAIN} bytes`, lines, plain: "" };
        for (const hash of [own, this.#all]) hash.update(value);
        lines += this.#take(value);
      }
    } finally {
      await unpacked.return(undefined);
    }
  }

  /** @returns how many lines end in these bytes. */
  #take(plain: Buffer): number {
    const { page_size: size = 1 } = this.attempt.site.release?.snapshot ?? {};
    let [begin, lines] = [0, 0];
    for (let end = plain.indexOf(NEWLINE); end >= 0; end = plain.indexOf(NEWLINE, end + 1)) {
      lines++;
      if (++this.#lines % size > 0) continue;
      this.#page.update(plain.subarray(begin, end + 1));
      this.#endPage();
      begin = end + 1;
    }
    this.#page.update(plain.subarray(begin));
    return lines;
  }

  #endPage(): void {
    this.#pages.push(this.#page.digest("hex"));
    this.#page = createHash("sha256");
  }

  #place(path: string): Place {
    return { check: "bulk", url: `${this.attempt.site.first.facts.baseUrl}/${path}` };
  }

  readonly #note: NoteFile = (path, difference) => this.attempt.findings.add({ ...this.#place(path), ...difference });
}
