/** Every host that Rollcall knows, in the order of the table. */
import { suggest } from "../config/names.js";
import { usageError } from "../errors.js";
import { apache } from "./apache.js";
import { caddy } from "./caddy.js";
import { cloudflare } from "./cloudflare.js";
import { cloudfront } from "./cloudfront.js";
import { fastly } from "./fastly.js";
import { haproxy } from "./haproxy.js";
import { lighttpd } from "./lighttpd.js";
import { netlify } from "./netlify.js";
import { nginx } from "./nginx.js";
import { azureStaticWebApps, firebase, gcs, githubPages, gitlabPages, s3Website } from "./paths.js";
import type { Target } from "./target.js";
import { vercel } from "./vercel.js";

export const TARGETS: readonly Target[] = [
  ...[nginx, apache, caddy, lighttpd, haproxy],
  ...[cloudflare, cloudfront, netlify, vercel, fastly],
  ...[githubPages, gitlabPages, s3Website, firebase, azureStaticWebApps, gcs],
];

/** @throws UserError (usage) for a name that is none. */
export function targetOf(name: string): Target {
  const target = TARGETS.find((candidate) => candidate.name === name);
  if (target) return target;
  const known = TARGETS.map((candidate) => candidate.name);
  throw usageError(`There is no host ${JSON.stringify(name)}; ${suggest(name, known)}`);
}
