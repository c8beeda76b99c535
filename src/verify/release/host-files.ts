/** Recreates a release's files for other hosts, and compares them. */
import { AVATAR_PATH } from "../../contract/links.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  CSV,
  EXPLORER,
  INCLUDED,
  isForAdapters,
  LOOKUP,
  OPENAPI,
  OWNED,
  RECORDS,
  RELEASE_NAME,
  RELEASES,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
} from "../../release/layout.js";
import { PageDigests } from "../../release/sums.js";
import type { Findings } from "../verdict.js";
import { compareFile, UNVERIFIED } from "./comparing-sink.js";
import { type OpenRelease, readText } from "./manifest.js";

export interface CheckedHosts {
  files: number;
  /** A note for a check without findings. */
  note?: string;
}

/** Files at the top of a release that are not for a host. */
const OWN: readonly string[] = [
  SNAPSHOT,
  SUMS,
  SIGNATURE,
  RECORDS,
  CONTRACT,
  OPENAPI,
  BULK,
  CSV,
  CHANGES,
  EXPLORER,
  AVATAR_PATH,
  OWNED,
  RELEASE_NAME,
];

/** Checks the files for other hosts. */
export async function checkHosts(
  release: OpenRelease,
  cacheControl: string | undefined,
  findings: Findings,
): Promise<CheckedHosts> {
  const { folder, tree, manifest } = release;
  const { snapshot, contract, digests } = manifest;
  const candidates = tree.find((path) => isForAdapters(path) || !(path.includes("/") || OWN.includes(path)));
  // Importing all hosts takes longer than checking a small release.
  if (candidates.length === 0 || !snapshot || !contract || !digests) return { files: 0 };
  let place = folder;
  // The folder of the release on the host's machine, as a configuration names it.
  const named = new RegExp(`/[^"'\`\\n]*?/${RELEASES}/[0-9]{8}T[0-9]{6}Z-${snapshot.id}(?![\\w-])`);
  for (const path of tree.keys(`${INCLUDED}/`))
    place = named.exec((await readText(folder, tree, path)) ?? "")?.[0] ?? place;
  const made = await makeFiles(release, cacheControl, place, candidates);
  let files = 0;
  for (const path of candidates) {
    const rights = made.get(path) ?? [];
    if (rights.length === 0 && !isForAdapters(path)) continue;
    files++;
    const found = rights.map((text) => compareFile(folder, path, Buffer.from(text))?.found);
    if (rights.length === 0 || !found.includes(undefined))
      findings.add({ check: "hosts", path, found: found[0] ?? "a file", expected: UNVERIFIED });
  }
  return place === folder ? { files } : { files, note: `they are for the release in ${place}` };
}

/** The expected texts by path; several if hosts share a path. Omits hosts without a file in the release. */
async function makeFiles(
  { tree, manifest }: OpenRelease,
  cacheControl: string | undefined,
  place: string,
  paths: readonly string[],
) {
  const { canServe, HOSTS } = await import("../../hosts/hosts.js");
  const { includedFiles, publishedFiles } = await import("../../hosts/release-files.js");
  const { snapshot, contract, digests, paths: pagePaths, others } = manifest;
  const made = new Map<string, string[]>();
  if (!snapshot || !contract || !digests) return made;
  const has = { carriesAvatar: tree.has(AVATAR_PATH), lookup: tree.has(LOOKUP), explorer: tree.has(EXPLORER) };
  const { base_url: baseUrl, encodings } = snapshot;
  for (const host of HOSTS.filter((one) => canServe(one, contract.listing.path))) {
    const { name, published, included } = host;
    const options = { adapt: [name], cacheControl };
    const include = (pages: typeof digests, others: typeof manifest.others) => {
      const sums = { paths: pagePaths, pages, others };
      return included ? includedFiles(options, { folder: place, snapshot, sums, isSigned: tree.has(SIGNATURE) }) : [];
    };
    // Making the files of an empty release is fast, and gives the same names.
    const isUsed = include(new PageDigests(0, ["identity"]), new Map()).some(({ path }) => paths.includes(path));
    const files = [
      ...(published ? publishedFiles({ ...options, contract, baseUrl, encodings, ...has }) : []),
      ...(isUsed ? include(digests, others) : []),
    ];
    for (const { path, text } of files) made.set(path, [...(made.get(path) ?? []), text]);
  }
  return made;
}
