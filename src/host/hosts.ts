/** All hosts that Rollcall can write files for. CONTRIBUTING.md says how to add one. */
import type { Encoding } from "../core/contract/headers.js";
import type { LinkStyle } from "../core/contract/links.js";
import { usageError } from "../core/errors.js";
import { suggest } from "../core/print/near.js";
import { count, size } from "../core/print/numbers.js";
import { apache, htaccess } from "./apache.js";
import { BY_PATH } from "./by-path.js";
import { caddy } from "./caddy.js";
import { cloudfront } from "./cloudfront.js";
import { cloudflare, netlify } from "./edge.js";
import { ANSWERS, filesInRelease, type HostFile, type HostKind, type SizeLimits } from "./kind.js";
import { nginx } from "./nginx.js";
import { COMPRESSION, type HostSettings, servedEncodings, siteRulesOf } from "./rules.js";
import { vercel } from "./vercel.js";

/** All hosts, in the order of the table of hosts. */
export const HOSTS: readonly HostKind[] = [
  nginx,
  apache,
  htaccess,
  caddy,
  cloudflare,
  cloudfront,
  netlify,
  vercel,
  ...BY_PATH,
];

/** Finds a host by name. @throws UserError (usage) if there is none */
export function hostOf(name: string): HostKind {
  const host = HOSTS.find((candidate) => candidate.name === name);
  if (host) return host;
  const known = HOSTS.map((candidate) => candidate.name);
  throw usageError(`There is no host ${JSON.stringify(name)}; ${suggest(name, known)}`);
}

/** The names of the hosts that cannot pass any of these checks. */
export function hostsLimitedIn(checks: readonly string[]): string[] {
  const limited = HOSTS.filter(({ unmetChecks = {} }) => checks.every((check) => check in unmetChecks));
  return limited.map(({ name }) => name);
}

/** Paths of files of hosts in a release, which hosts may not serve. */
export const FILES_IN_RELEASE: ReadonlySet<string> = new Set(
  HOSTS.flatMap(({ inRelease = [] }) => inRelease.map(({ path }) => path)),
);

/** Finds the hosts whose files a release has, since it was built with `--adapt` for them. */
export function findAdaptedHosts(others: ReadonlyMap<string, string>): HostKind[] {
  return HOSTS.filter(({ inRelease }) => inRelease?.every(({ path }) => others.has(path)));
}

/** The hosts' files that a build publishes. @throws UserError (usage) if a host does not exist */
export function releaseFilesOf(adapt: readonly string[], settings: HostSettings): Pick<HostFile, "path" | "text">[] {
  return adapt.map(hostOf).flatMap((host) => {
    const encodings = servedEncodings(host.compression, settings.encodings);
    return filesInRelease(host, siteRulesOf({ ...settings, encodings })).map(({ path, text }) => ({ path, text }));
  });
}

/** A host's row in the table of hosts: column names and cells. */
export function hostRow({ name, query, answers: own, compression, sizeLimits, tested }: HostKind): [string, string][] {
  const answers = { ...ANSWERS, ...own };
  return [
    ["host", name],
    ["?page=N", query],
    ["headers", answers.headers],
    ["OPTIONS", answers.options],
    ["405", answers.refusal],
    ["404", answers.missing],
    ["compression", COMPRESSION[compression]],
    ["limits", sizeLimits ? describeLimits(sizeLimits) : "none"],
    ["tested", tested],
  ];
}

function describeLimits({ files, filesInFolder, bytesInFile, bytes, source }: SizeLimits): string {
  const parts = [
    files !== undefined && count(files, "file"),
    filesInFolder !== undefined && `${count(filesInFolder, "file")} a folder`,
    bytesInFile !== undefined && `${size(bytesInFile)} a file`,
    bytes !== undefined && `${size(bytes)} in all`,
  ];
  return `${parts.filter(Boolean).join(", ")} (${source})`;
}

/** Describes features of a release that a host cannot use, and what to do. */
export function unsupportedFeatures(
  { title, query, compression }: HostKind,
  { encodings, links }: { encodings: readonly Encoding[]; links: LinkStyle },
): string[] {
  const notes: string[] = [];
  const served = servedEncodings(compression, encodings);
  const unused = encodings.filter((encoding) => !served.includes(encoding));
  if (unused.length > 0) {
    const own = compression === "itself" ? "compresses by itself: it " : "";
    notes.push(`${title} ${own}does not use the ${unused.join(" and ")} files; build without --compress`);
  }
  if (query === "no" && links === "query")
    notes.push(`${title} cannot map ?page=N, which the links of this release have; build with --links path`);
  return notes;
}
