/** What `rollcall publish` warns of: links that readers cannot follow, and limits of the host. */
import { BlockList, isIP } from "node:net";
import { canParse } from "../core/contract/links.js";
import { partsOf, type Site } from "../core/release/site.js";
import { hasScheme } from "../core/settings/kinds.js";
import { findAdaptedHosts, hostOf } from "../host/hosts.js";
import { notesOnSizes } from "../host/size-limits.js";
import type { PublishOptions } from "./target.js";

const PRIVATE = new BlockList();
for (const subnet of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]) {
  const [net = "", prefix] = subnet.split("/");
  PRIVATE.addSubnet(net, Number(prefix), net.includes(":") ? "ipv6" : "ipv4");
}

/** Whether a URL leads to a loopback, private or link-local address. */
export function isPrivate(url: string): boolean {
  if (!canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const version = isIP(host);
  if (version === 0) return host === "localhost" || host.endsWith(".localhost");
  return PRIVATE.check(host, version === 6 ? "ipv6" : "ipv4");
}

/**
 * Makes the warnings about a release that is published. Known limits are those of the hosts that it was built for, and Amazon
 * S3's for a bucket.
 */
export async function warningsOf(site: Site, { target, endpoint }: PublishOptions): Promise<string[]> {
  const { baseUrl: base } = site;
  const warnings: string[] = [];
  if (isPrivate(base))
    warnings.push(`links lead to ${base}, which other networks cannot reach; build with a public --base-url`);
  const hosts = new Set(partsOf(site).flatMap(({ sums }) => findAdaptedHosts(sums.others)));
  if (hasScheme(target) && endpoint === undefined) hosts.add(hostOf("s3-website"));
  return [...warnings, ...(await notesOnSizes([...hosts], site))];
}
