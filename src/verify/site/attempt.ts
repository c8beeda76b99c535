/** One attempt to read a host from one snapshot: what every answer is held to, and when the host is given up. */
import { createHash } from "node:crypto";
import { etagOf } from "../../contract/headers.js";
import { sha256 } from "../../release/files.js";
import { isPacked, type Variant } from "../../release/layout.js";
import { decodeBody, headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { TransferError } from "../../remote/transfer.js";
import type { ProbedSite } from "../probes/probe.js";
import { type Finding, Findings } from "../verdict.js";
import { type AnswerKind, HEADERS } from "./headers.js";

/** Where a request leads, and the check that an answer fails which does not come. */
export type Place = Pick<Finding, "check" | "page"> & { url: string };

/** A host that fails this often to answer in full is given up. */
export const MOST_FAILURES = 20;
/** After so many wrong answers of a kind the rest is not requested: a count may promise millions that are not there. */
export const MOST_WRONG = 100;

export class Attempt {
  readonly findings = new Findings();
  #failures = 0;

  constructor(readonly site: ProbedSite) {}

  /** An answer that does not come in full is a finding, and undefined. @throws TransferError after too many of them. */
  async ask(place: Place, coding: Variant, maxBytes?: number | undefined): Promise<RemoteResponse | undefined> {
    try {
      return await this.site.client.request(place.url, { headers: { "Accept-Encoding": coding }, maxBytes });
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      this.miss(place, error);
      return undefined;
    }
  }

  /** The SHA-256 of a file of any size, with the answer, or why there is none; otherwise as `ask`. */
  async askDigest(place: Place, coding: Variant, maxBytes: number | undefined) {
    const hash = createHash("sha256");
    try {
      const headers = { "Accept-Encoding": coding };
      const answer = await this.site.client.request(place.url, {
        headers,
        maxBytes,
        into: (piece) => hash.update(piece),
      });
      const why = whyNoFile(answer);
      return why === undefined ? { ...answer, digest: hash.digest("hex") } : { why };
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      // It did come in full.
      if (error.kind === "miscoded") return { why: `an answer that ${error.why}` };
      this.miss(place, error);
      return undefined;
    }
  }

  /**
   * A listed file: a part or a step, which is the same for readers of every coding, or a text as it is. Where it does not come as SHA256SUMS lists it, that is a
   * finding, and undefined. @throws TransferError as `ask` does.
   */
  async askWhole(path: string, maxBytes: number): Promise<Buffer | undefined> {
    const { release, first } = this.site;
    const digest = release?.sums.others.get(path);
    const place = { check: "files", url: `${first.facts.baseUrl}/${path}` };
    const answer = await this.ask(place, isPacked(path) ? "gzip" : "identity", maxBytes);
    const read = answer && (await digestOf(answer));
    if (!answer || !read) return undefined;
    if ("why" in read || read.digest !== digest) {
      const found = "why" in read ? read.why : `other bytes, ${etagOf(read.digest)}`;
      this.findings.add({ ...place, found, expected: digest === undefined ? "no such file" : etagOf(digest) });
      return undefined;
    }
    this.checkHeaders(answer, "file", place);
    return answer.body;
  }

  /** @throws the error, after too many. */
  miss(place: Place, error: TransferError): void {
    if (++this.#failures >= MOST_FAILURES) throw error;
    const what = place.page === undefined ? "file" : "page";
    this.findings.add({ ...place, found: `no ${what}: it ${error.why}`, expected: `200 with a ${what}` });
  }

  checkHeaders(answer: RemoteResponse, kind: AnswerKind, place: Omit<Place, "check">): void {
    const { snapshotId } = this.site.first.facts;
    const id = headerOf(answer, "Snapshot-Id");
    if (id !== undefined && snapshotId !== undefined && id !== snapshotId)
      this.findings.add({ ...place, check: "one-snapshot", found: id, expected: `${snapshotId}, as on page 1` });
    for (const { name, header, of, whyNot } of HEADERS) {
      const expected = of.includes(kind) ? whyNot(answer, this.site) : undefined;
      if (expected === undefined) continue;
      this.findings.add({ ...place, check: name, found: headerOf(answer, header) ?? `no ${header}`, expected });
    }
  }
}

/** The SHA-256 of what is in an answer, or why nothing is. */
export async function digestOf(answer: RemoteResponse) {
  const why = whyNoFile(answer);
  if (why !== undefined) return { why };
  try {
    return { digest: sha256(await decodeBody(answer)) };
  } catch (error) {
    if (error instanceof TransferError) return { why: `an answer that ${error.why}` };
    throw error;
  }
}

function whyNoFile(answer: RemoteResponse): string | undefined {
  if (answer.status === 200) return undefined;
  return `${answer.status} (${headerOf(answer, "Content-Type") ?? "no Content-Type"})`;
}
