/** Folders of a release that hold any number of files of one kind. A host knows each by one pattern, and by its tags which files there are. */
import { BULK_FOLDER, CHANGES_FOLDER, fileHeaders, isPacked, SORTED_FOLDERS } from "../../release/layout.js";
import { PAGE_NUMBER } from "./patterns.js";

export interface Family {
  /** In the release: `lookup/keys`. */
  folder: string;
  /** A pattern of the names of its files, without a group. */
  names: string;
  /** What is added for each of its files, whether the release has some or not. */
  headers: ReturnType<typeof fileHeaders>;
  /** Whether its files are so large that ranges of them are sent. */
  hasRanges: boolean;
}

const STATE = "[0-9a-f]{12}";

/** Each folder, the pattern of the names in it, and one that a file could have. */
const FOLDERS: readonly (readonly [folder: string, names: string, like: string])[] = [
  [BULK_FOLDER, `${PAGE_NUMBER}\\.ndjson\\.gz`, "1.ndjson.gz"],
  [CHANGES_FOLDER, `${STATE}-${STATE}\\.ndjson\\.gz`, `${"0".repeat(12)}-${"0".repeat(12)}.ndjson.gz`],
  ...Object.values(SORTED_FOLDERS).map((folder) => [folder, `${PAGE_NUMBER}\\.txt`, "1.txt"] as const),
];

export function familiesOf(cacheControl: string): readonly Family[] {
  return FOLDERS.map(([folder, names, like]) => {
    const path = `${folder}/${like}`;
    return { folder, names, headers: fileHeaders(path, cacheControl), hasRanges: isPacked(path) };
  });
}

/** A pattern of the paths of all files of some families, as in the release. It has no group. */
export function pathsOfFamilies(families: readonly Family[]): string {
  return `(?:${families.map(({ folder, names }) => `${folder}/${names}`).join("|")})`;
}
