/** CloudFront in front of a bucket: a function that maps requests to files. */
import { snapshotHeaders } from "../contract/headers.js";
import { unlistedFiles } from "../release/layout.js";
import type { Host } from "./host.js";
import { readScript } from "./rules.js";
import type { Site } from "./site.js";

/** Maximum size of a function in bytes. */
export const FUNCTION_LIMIT = 10_240;

export const cloudfront: Host = {
  name: "cloudfront",
  title: "CloudFront and S3",
  query: "function",
  answers: { headers: "those of the policy; ETag is S3's own" },
  compression: "itself",
  tested: "the function, with AWS's documented events",
  steps: [],
  files: (site) => [
    {
      path: "rollcall-function.js",
      what: "The function",
      instructions:
        "For viewer requests (cloudfront-js-2.0). It has the number of pages, so write it after each build.",
      text: writeFunction(site),
    },
  ],
};

function writeFunction({ rules, release }: Site): string {
  const { snapshot, sums, isSigned } = release;
  const isThere = (file: string) => sums.others.has(file) || unlistedFiles({ isSigned }).includes(file);
  // Headers of files come from the bucket and the policy.
  return readScript(
    "cloudfront-function.js",
    {
      ...rules,
      headers: { ...rules.headers, ...snapshotHeaders(snapshot.id) },
      files: new Map(),
      routes: new Map([...rules.routes].filter(([, file]) => isThere(file))),
    },
    { lastPage: snapshot.pages },
  );
}
