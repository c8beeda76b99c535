/** Requests to one part of a host, a listing or the files at the top of a site, and what is compared in each response. */
import { etagOf } from "../../core/contract/headers.js";
import { isPacked, type Variant } from "../../core/release/layout.js";
import type { Finding, Findings } from "../verdict.js";
import { type HostAnswer, NoAnswer } from "./ask.js";
import { type AnswerKind, describeAnswer, mostBytes, type ServedPart, wrongHeaders } from "./model.js";

/** The place of a finding about a request, and the check that fails without a response. */
export type Place = Pick<Finding, "check" | "page"> & { url: string };

/** The codings in which pages and files are requested. */
export const CODINGS: readonly Variant[] = ["identity", "br", "gzip"];
/** Maximum incomplete responses, after which verification gives up. */
const MOST_FAILURES = 20;

export const ONE_SNAPSHOT_ROW = { name: "one-snapshot", rule: "all responses are of one snapshot" } as const;

export class PartReading {
  #failures = 0;

  constructor(
    readonly served: ServedPart,
    readonly findings: Findings,
  ) {}

  /** Counts a request without a complete response. @throws NoAnswer after too many of them */
  fail(error: unknown): asserts error is NoAnswer {
    if (!(error instanceof NoAnswer) || ++this.#failures >= MOST_FAILURES) throw error;
  }

  /** Sends a request. An incomplete response is a finding, and undefined. @throws NoAnswer after too many of them */
  async ask(place: Place, coding: Variant, what: "page" | "file", maxBytes?: number): Promise<HostAnswer | undefined> {
    try {
      const take = what === "file" ? () => {} : undefined;
      return await this.served.asker.ask(place.url, { headers: { "Accept-Encoding": coding }, maxBytes, take });
    } catch (error) {
      this.fail(error);
      this.findings.add({ ...place, found: `no ${what}: it ${error.why}`, expected: `200 with a ${what}` });
      return undefined;
    }
  }

  /** Requests a file in each coding. @param check of its bytes. @param digest undefined if it is not known */
  async readFile(check: string, path: string, digest: string | undefined): Promise<void> {
    const { served, findings } = this;
    const place = { check, url: fileUrl(served, path) };
    for (const coding of isPacked(path) ? (["gzip"] as const) : CODINGS) {
      const answer = await this.ask(place, coding, "file", mostBytes(served, path));
      if (!answer) continue;
      const { status, flaw } = answer;
      const isWrong = status !== 200 || flaw !== undefined;
      const isCoded = coding !== "identity" && !isPacked(path);
      if (isWrong) {
        const found = flaw ? `an answer that ${flaw}` : describeAnswer(answer);
        findings.add({ ...place, found, expected: "200 with a file" });
      } else if (digest && answer.digest !== digest)
        findings.add({
          ...place,
          found: `${otherBytes(answer)}${isCoded ? `, for ${coding}` : ""}`,
          expected: etagOf(digest),
        });
      if (!isWrong && !isCoded) this.checkHeaders(answer, `/${path}`, "file", "identity", place);
    }
  }

  checkHeaders(answer: HostAnswer, path: string, kind: AnswerKind, coding: Variant, place: Place): void {
    const { first, expected } = this.served;
    const id = answer.headers.get("Snapshot-Id");
    const own = first.headers.get("Snapshot-Id");
    if (id !== null && own !== null && id !== own)
      this.findings.add({
        ...place,
        check: ONE_SNAPSHOT_ROW.name,
        found: id,
        expected: `${own}, as of ${first.url}`,
      });
    for (const { header: _, ...wrong } of wrongHeaders(answer, expected(path, { "Accept-Encoding": coding }), kind))
      this.findings.add({ ...place, ...wrong });
  }
}

/** The URL of a file of a release. */
export function fileUrl({ baseUrl }: Pick<ServedPart, "baseUrl">, path: string): string {
  return `${baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export const otherBytes = ({ digest }: HostAnswer) => `other bytes, ${etagOf(digest)}`;
