/** Probes of parts and steps, which hosts send alike: what a reader needs to fetch them, and to go on where a download was cut. */
import { fileHeaders, isPart, isStep } from "../../release/layout.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { hasHeader, type Probe, type ProbedSite } from "./probe.js";

const TYPE = fileHeaders("bulk/1.ndjson.gz", "")["Content-Type"];

/** A request for a part of a release or, where it has none, for a step. It may have neither. */
function ofPart(probe: Omit<Probe, "path" | "skipped">): Probe {
  const skipped = (site: ProbedSite) => findPath(site) === undefined && "no release with parts or steps is known";
  return { ...probe, path: (site) => `/${findPath(site)}`, skipped };
}

function findPath({ release }: ProbedSite): string | undefined {
  const paths = [...(release?.sums.others.keys() ?? [])];
  return paths.find(isPart) ?? paths.find(isStep);
}

const RANGE = "bytes=1-9";

function isRange(answer: RemoteResponse): boolean {
  const isSaid = headerOf(answer, "Content-Range")?.startsWith("bytes 1-9/") === true;
  return answer.status === 206 && isSaid && answer.body.length === 9 && hasHeader(answer, "Content-Type", TYPE);
}

export const PARTS: readonly Probe[] = [
  ofPart({
    ...{
      name: "part-type",
      rule: `a part or a step is ${TYPE} for every reader, without a Content-Encoding`,
      method: "HEAD",
    },
    headers: () => ({ "Accept-Encoding": "gzip, br" }),
    judge: (answer) =>
      answer.status === 200 &&
      hasHeader(answer, "Content-Type", TYPE) &&
      headerOf(answer, "Content-Encoding") === undefined,
    shown: ["Content-Type", "Content-Encoding"],
  }),
  ofPart({
    ...{ name: "part-range", rule: "a range of a part or a step is 206 with these bytes alone" },
    headers: () => ({ Range: RANGE, "Accept-Encoding": "gzip, br" }),
    judge: async (answer, { client }) =>
      isRange(answer) && answer.body.equals((await client.request(answer.url)).body.subarray(1, 10)),
    shown: ["Content-Range"],
  }),
  ofPart({
    ...{ name: "part-if-range", rule: "If-Range with its ETag: 206, with another tag: 200", method: "HEAD" },
    async judge(answer, { client }) {
      const ask = (tag: string) => client.request(answer.url, { headers: { Range: RANGE, "If-Range": tag } });
      const tag = headerOf(answer, "ETag");
      return tag !== undefined && isRange(await ask(tag)) && (await ask('"x"')).status === 200;
    },
    shown: ["ETag"],
  }),
];
