/** CloudFront in front of a bucket: a function that maps requests to files, and a response headers policy. */
import { basename, dirname } from "node:path";
import { CHANGES_FOLDER, isStep } from "../release/layout.js";
import type { Deployment } from "./deployment.js";
import type { Host } from "./host.js";
import { readScript, scriptRules } from "./rules.js";

/** Maximum size of a function in bytes. */
export const FUNCTION_LIMIT = 10_240;

export const cloudfront: Host = {
  name: "cloudfront",
  title: "CloudFront and S3",
  query: "function",
  answers: { headers: "all; ETag is S3's own" },
  compression: "itself",
  tested: "the function, with AWS's documented events",
  steps: [
    "Publish the release to the bucket; add the function to the distribution as viewer-request.",
    "Allow all seven methods, since the function refuses the others; cache policy: CachingOptimized.",
    "Create the response headers policy from rollcall-headers.json: aws cloudfront create-response-headers-policy.",
  ],
  files: (deployment) => [
    {
      path: "rollcall-function.js",
      what: "The function",
      instructions:
        "The code of a CloudFront Function (cloudfront-js-2.0), for viewer-request of the default behaviour.\n" +
        "It contains the number of pages: write it again after each build.",
      text: writeFunction(deployment),
    },
    {
      path: "rollcall-headers.json",
      instructions:
        "For aws cloudfront create-response-headers-policy --response-headers-policy-config file://rollcall-headers.json.",
      text: `${JSON.stringify(headersPolicy(deployment), null, 2)}\n`,
    },
  ],
};

function writeFunction(deployment: Deployment): string {
  const { snapshot, sums, families } = deployment;
  // Headers of files come from the bucket and the policy.
  const { files: _files, families: _families, ...rules } = scriptRules(deployment);
  const others = [...sums.others.keys()];
  const numbered = families.filter((family) => family.folder !== CHANGES_FOLDER);
  const countIn = (folder: string) => others.filter((path) => dirname(path) === folder).length;
  const values = {
    ...{ ...rules, lastPage: snapshot.pages },
    numbered: Object.fromEntries(numbered.map(({ folder, names }) => [folder, { names, last: countIn(folder) }])),
    steps: others.filter(isStep).map((path) => basename(path, ".ndjson.gz")),
  };
  const url = new URL("./cloudfront-function.js", import.meta.url);
  const write = (rules: object) => readScript(url, `const RULES = ${JSON.stringify(rules)};`);
  const text = write(values);
  // If there are too many steps to name, the bucket answers for missing ones.
  return Buffer.byteLength(text) > FUNCTION_LIMIT - ROOM ? write({ ...values, steps: undefined }) : text;
}

/** Bytes reserved for the comment before the function. */
const ROOM = 1_000;

/** The response headers policy. CORS and nosniff have their own fields. */
function headersPolicy({ headers, page, snapshot }: Deployment) {
  const own = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options"];
  const exposed = headers["Access-Control-Expose-Headers"]?.split(", ") ?? [];
  const items = Object.entries({ ...headers, "Cache-Control": page["Cache-Control"] })
    .filter(([name]) => !own.includes(name))
    .map(([Header, Value]) => ({ Header, Value, Override: true }));
  return {
    Name: `rollcall-${snapshot.id}`,
    CorsConfig: {
      AccessControlAllowOrigins: { Quantity: 1, Items: ["*"] },
      AccessControlAllowHeaders: { Quantity: 1, Items: ["*"] },
      AccessControlAllowMethods: { Quantity: 3, Items: ["GET", "HEAD", "OPTIONS"] },
      AccessControlExposeHeaders: { Quantity: exposed.length, Items: exposed },
      AccessControlAllowCredentials: false,
      OriginOverride: true,
    },
    SecurityHeadersConfig: { ContentTypeOptions: { Override: true } },
    CustomHeadersConfig: { Quantity: items.length, Items: items },
  };
}
