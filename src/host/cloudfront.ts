/** CloudFront in front of a bucket: a function that maps requests to files. */
import { snapshotHeaders } from "../core/contract/headers.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import { UserError } from "../core/errors.js";
import { count, number } from "../core/print/numbers.js";
import { unlistedFiles } from "../core/release/layout.js";
import { type ListedFolder, partsOf } from "../core/release/site.js";
import type { HostedSite } from "./hosted-site.js";
import { type HostKind, limitedBy } from "./kind.js";
import { readScript, type Section } from "./rules.js";

/** Maximum size of a function in bytes. */
export const FUNCTION_LIMIT = 10_240;

export const cloudfront: HostKind = {
  name: "cloudfront",
  title: "CloudFront and S3",
  query: "function",
  answers: { headers: "those of the policy; ETag is S3's own" },
  compression: "itself",
  tested: "the function, with AWS's documented events",
  unmetChecks: {
    ...limitedBy("ETags, ranges and 304s are the bucket's", [
      "etag-digest",
      "range",
      "not-modified-headers",
      "not-modified-type",
      "not-modified-weak",
      "not-modified-list",
      "modified-since",
    ]),
    ...limitedBy("It compresses by itself, and makes ETags weak", ["br-tag", "br-vary", "gzip-tag", "gzip-vary"]),
    ...limitedBy("The policy's headers are the same for every file and release", ["snapshot-id", "explorer-headers"]),
  },
  steps: [],
  files: [
    {
      path: "rollcall-function.js",
      what: "The function",
      instructions:
        "For viewer requests (cloudfront-js-2.0). It has the number of pages, so write it after each build.",
      text: writeFunction,
    },
  ],
};

const SCRIPT = {
  name: "cloudfront-function.js",
  entry: "handler",
  dispatch: `function handler(event) {
  const part = partOf(event.request.uri);
  const result = part.answer(event);
  if (!result.statusCode) result.uri = "/" + part.folder + result.uri.slice(1);
  return result;
}
`,
};

/** @throws UserError if the function is larger than CloudFront allows */
function writeFunction({ rules, released }: HostedSite): string {
  const { listings, top, id } = released;
  const snapshots = [...listings.map(({ release }) => release.snapshot), ...(top ? [{ id, pages: 0 }] : [])];
  const sources = partsOf(released);
  const text = readScript(
    SCRIPT,
    rules.parts.map((part, at) =>
      withFiles(part, sources[at] as ListedFolder, snapshots[at] as Pick<Snapshot, "id" | "pages">),
    ),
  );
  const bytes = Buffer.byteLength(text);
  if (bytes <= FUNCTION_LIMIT) return text;
  throw new UserError(
    `The function for ${count(listings.length, "listing")} has ${number(bytes)} bytes, and CloudFront allows ${number(FUNCTION_LIMIT)}. Publish fewer listings in a site, or choose another host ("rollcall host" lists them).`,
  );
}

/** Adds to a part what the function cannot find out. Headers of files come from the bucket and the policy. */
function withFiles(part: Section, { sums, isSigned }: ListedFolder, { id, pages }: Pick<Snapshot, "id" | "pages">) {
  const isThere = (file: string) => sums.others.has(file) || unlistedFiles({ isSigned }).includes(file);
  const { rules } = part;
  const own = {
    ...rules,
    headers: { ...rules.headers, ...snapshotHeaders(id) },
    files: new Map(),
    routes: new Map([...rules.routes].filter(([, file]) => isThere(file))),
  };
  return { ...part, rules: own, more: { lastPage: pages } };
}
