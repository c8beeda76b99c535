/** Makes the files that a release holds for other hosts again, by the code that wrote them, and compares them. */
import { AVATAR_PATH } from "../../contract/links.js";
import {
  BULK,
  CHANGES,
  CONTRACT,
  EXPLORER,
  isForAdapters,
  LOOKUP,
  OPENAPI,
  OWNED,
  RECORDS,
  RELEASES,
  SIGNATURE,
  SNAPSHOT,
  SUMS,
} from "../../release/layout.js";
import { PageDigests } from "../../release/sums.js";
import { differenceOf, UNVERIFIED } from "../lookup/differences.js";
import type { VerifyOptions } from "../options.js";
import type { Findings } from "../verdict.js";
import { readPlainBytes } from "./files.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

export interface CheckedHosts {
  files: number;
  /** What there is to know where nothing differs. */
  note?: string;
}

interface HostsContext extends Pick<VerifyOptions, "cacheControl"> {
  folder: string;
  tree: Tree;
  manifest: Manifest;
}

/** Files beside the folders of a release that are not for one host. */
const OWN: readonly string[] = [
  ...[SNAPSHOT, SUMS, SIGNATURE, RECORDS, CONTRACT, OPENAPI, BULK, CHANGES, EXPLORER, AVATAR_PATH, OWNED],
];

export async function checkHosts(context: HostsContext, findings: Findings): Promise<CheckedHosts> {
  const { folder, tree, manifest } = context;
  const { snapshot, contract, digests } = manifest;
  const candidates = [...tree.keys()].filter(
    (path) => isForAdapters(path) || !(path.includes("/") || OWN.includes(path)),
  );
  // Loading all hosts takes longer than checking a small release.
  if (candidates.length === 0 || !snapshot || !contract || !digests) return { files: 0 };
  const read = (path: string) => readPlainBytes(folder, tree, path);
  let place = folder;
  for (const path of candidates.filter(isForAdapters))
    place = placeIn(String((await read(path)) ?? ""), snapshot.id) ?? place;
  const made = await makeFiles(context, place, candidates);
  let files = 0;
  for (const path of candidates) {
    const rights = made.get(path) ?? [];
    const [right] = rights;
    if (right === undefined && !isForAdapters(path)) continue;
    files++;
    const found = await read(path);
    if (found && rights.some((text) => found.equals(Buffer.from(text)))) continue;
    const difference = found && right !== undefined && differenceOf(path, found, Buffer.from(right));
    findings.add({ check: "hosts", path, found: difference ? difference.found : "a file", expected: UNVERIFIED });
  }
  return place === folder ? { files } : { files, note: `they are for the release in ${place}` };
}

/** The folder of the release on the host's machine, as a configuration names it. */
function placeIn(text: string, id: string): string | undefined {
  return new RegExp(`/[^"'\`\\n]*?/${RELEASES}/[0-9]{8}T[0-9]{6}Z-${id}(?![\\w-])`).exec(text)?.[0];
}

/** What each file must be; several where hosts share its name. Hosts of which the release has no file are left out. */
async function makeFiles({ tree, manifest, cacheControl }: HostsContext, place: string, paths: readonly string[]) {
  const { ADAPTERS } = await import("../../adapters/adapters.js");
  const { includedFiles, publishedFiles } = await import("../../adapters/release-files.js");
  const { snapshot, contract, digests, paths: pagePaths, others } = manifest;
  const made = new Map<string, string[]>();
  if (!snapshot || !contract || !digests) return made;
  const has = { carriesAvatar: tree.has(AVATAR_PATH), lookup: tree.has(LOOKUP), explorer: tree.has(EXPLORER) };
  const { base_url: baseUrl, encodings } = snapshot;
  for (const { name, published, included } of ADAPTERS) {
    const options = { adapt: [name], cacheControl };
    const include = (pages: typeof digests, others: Manifest["others"]) =>
      included
        ? includedFiles(options, {
            ...{ folder: place, snapshot, sums: { paths: pagePaths, pages, others }, isSigned: tree.has(SIGNATURE) },
          })
        : [];
    // Those of a release without files have the same names, and need no time.
    const isUsed = include(new PageDigests(0, ["identity"]), new Map()).some(({ path }) => paths.includes(path));
    const files = [
      ...(published ? publishedFiles({ ...options, contract, baseUrl, encodings, ...has }) : []),
      ...(isUsed ? include(digests, others) : []),
    ];
    for (const { path, text } of files) made.set(path, [...(made.get(path) ?? []), text]);
  }
  return made;
}
