/** The releases that hosts are measured over. */
import { join } from "node:path";
import type { Bench } from "../bench.js";
import { rollcall } from "../programs.js";
import type { Body } from "./load.js";

export interface Served {
  folder: string;
  pages: number;
  /** What Rollcall may keep of it. */
  cacheMb: number;
  bodies: readonly Body[];
  /** Larger than the cache, and only for those hosts that are no extras. */
  isLarge: boolean;
}

interface Plan {
  name: string;
  users: number;
  quickUsers: number;
  pageSize: number;
  flags: readonly string[];
  cacheMb: number;
  quickCacheMb?: number;
  bodies: readonly Body[];
  isLarge?: boolean;
}

const PLANS: readonly Plan[] = [
  {
    name: "hundreds",
    users: 100_000,
    quickUsers: 2_000,
    pageSize: 100,
    flags: ["--compress", "br,gzip"],
    cacheMb: 256,
    bodies: [
      { name: "identity" },
      { name: "gzip", coding: "gzip" },
      { name: "br", coding: "br" },
      { name: "304", isKnown: true },
    ],
  },
  {
    name: "ones",
    users: 2_000,
    quickUsers: 200,
    pageSize: 1,
    flags: [],
    cacheMb: 256,
    bodies: [{ name: "one user a page" }],
  },
  {
    name: "large",
    users: 1_000_000,
    quickUsers: 20_000,
    pageSize: 100,
    flags: [],
    cacheMb: 64,
    quickCacheMb: 2,
    bodies: [{ name: "identity, larger than the cache" }],
    isLarge: true,
  },
];

/** Builds them, each into a folder of its own. */
export async function makeReleases({ isQuick, sources, folder }: Bench): Promise<Served[]> {
  const made: Served[] = [];
  for (const { name, pageSize, flags, bodies, isLarge = false, ...plan } of PLANS) {
    const users = isQuick ? plan.quickUsers : plan.users;
    const dist = join(folder, `serve-${name}`);
    await rollcall(sources.take(users), dist, "--page-size", `${pageSize}`, ...flags);
    const cacheMb = (isQuick ? plan.quickCacheMb : undefined) ?? plan.cacheMb;
    made.push({ folder: join(dist, "current"), pages: users / pageSize, cacheMb, bodies, isLarge });
  }
  return made;
}
