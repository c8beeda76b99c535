/** Every host that Rollcall knows, in the order of the table. */

import { usageError } from "../errors.js";
import { suggest } from "../settings/names.js";
import { apache } from "./apache/apache.js";
import { caddy } from "./caddy/caddy.js";
import { cloudflare } from "./cloudflare.js";
import { cloudfront } from "./cloudfront.js";
import { fastly } from "./fastly.js";
import { haproxy } from "./haproxy.js";
import { lighttpd } from "./lighttpd.js";
import { netlify } from "./netlify.js";
import { nginx } from "./nginx.js";
import type { Adapter } from "./rules/adapter.js";
import { azureStaticWebApps, firebase, gcs, githubPages, gitlabPages, s3Website } from "./rules/paths.js";
import { vercel } from "./vercel.js";

export const ADAPTERS: readonly Adapter[] = [
  ...[nginx, apache, caddy, lighttpd, haproxy],
  ...[cloudflare, cloudfront, netlify, vercel, fastly],
  ...[githubPages, gitlabPages, s3Website, firebase, azureStaticWebApps, gcs],
];

/** @throws UserError (usage) for a name that is none. */
export function adapterOf(name: string): Adapter {
  const target = ADAPTERS.find((candidate) => candidate.name === name);
  if (target) return target;
  const known = ADAPTERS.map((candidate) => candidate.name);
  throw usageError(`There is no host ${JSON.stringify(name)}; ${suggest(name, known)}`);
}
