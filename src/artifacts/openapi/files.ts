/** The files of a release beside its pages, as its readers see them. */
import { CONTENT_TYPE, NO_CACHE } from "../../contract/headers.js";
import { AVATAR_PATH } from "../../contract/links.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  EXPLORER,
  fileHeaders,
  LOOKUP,
  OPENAPI,
  SIGNATURE,
  SNAPSHOT,
  SORTED_FOLDERS,
  SUMMARY,
  SUMS,
} from "../../release/layout.js";
import { headersOfFile, pathItem } from "./answers.js";
import { type Described, type Part, ref } from "./parts.js";

interface File {
  path: string;
  /** Where it is asked for, unless by its path. */
  at?: string;
  /** The end of the names of its operations. */
  name: string;
  summary: string;
  schema: Part;
  /** A file that only such releases have which have this one. */
  with?: string;
  parameters?: readonly Part[];
  /** A file so large that hosts send parts of it. */
  hasRanges?: true;
}

const text = { type: "string" };
const NUMBERED = [ref("parameters", "Number")];

const FILES: readonly File[] = [
  { path: SNAPSHOT, name: "Snapshot", summary: "What the snapshot is", schema: ref("schemas", "Snapshot") },
  {
    path: CONTRACT,
    name: "Contract",
    summary: "What every record was checked against",
    schema: ref("schemas", "Contract"),
  },
  { path: OPENAPI, name: "Description", summary: "This description", schema: ref("schemas", "Description") },
  { path: SUMS, name: "Sums", summary: "The SHA-256 of every file, as sha256sum reads it", schema: text },
  { path: SIGNATURE, name: "Signature", summary: "minisign's signature of SHA256SUMS", schema: text, with: SIGNATURE },
  {
    path: BULK,
    name: "Bulk",
    summary: "The parts that all records stand in",
    schema: ref("schemas", "Bulk"),
    with: BULK,
  },
  {
    path: `${BULK_FOLDER}/{part}.ndjson.gz`,
    name: "BulkPart",
    summary: "A part of all records, one a line, as a gzip file",
    schema: { type: "string", format: "binary" },
    with: BULK,
    parameters: [ref("parameters", "Part"), ref("parameters", "Range")],
    hasRanges: true,
  },
  {
    path: CHANGES,
    name: "Changes",
    summary: "The steps that lead from earlier states to this one",
    schema: ref("schemas", "Changes"),
    with: CHANGES,
  },
  {
    path: `${CHANGES_FOLDER}/{step}.ndjson.gz`,
    name: "Step",
    summary: "What to do to a copy of one state to have another, one record a line, as a gzip file",
    schema: { type: "string", format: "binary" },
    with: CHANGES,
    parameters: [ref("parameters", "Step"), ref("parameters", "Range")],
    hasRanges: true,
  },
  {
    path: LOOKUP,
    name: "Lookup",
    summary: "What each file of the look-up begins with",
    schema: ref("schemas", "Lookup"),
    with: LOOKUP,
  },
  sorted("keys", "LookupKeys", "Where records are, by their keys", LOOKUP),
  sorted("words", "LookupWords", "Where records are, by the words of their names", LOOKUP),
  {
    path: SUMMARY,
    name: "Summary",
    summary: "What is counted of all records",
    schema: ref("schemas", "Summary"),
    with: EXPLORER,
  },
  sorted("facets", "ExplorerFacets", "Where records are, by values that many have in common", EXPLORER),
  { path: EXPLORER, at: "", name: "Explorer", summary: "A page for people", schema: text, with: EXPLORER },
  { path: EXPLORER, name: "ExplorerFile", summary: "The page for people, as a file", schema: text, with: EXPLORER },
  {
    path: AVATAR_PATH,
    name: "Avatar",
    summary: "The image of records that have none",
    schema: text,
    with: AVATAR_PATH,
  },
];

/** Which of a release's files its description depends on. */
export const OPTIONAL_FILES: readonly string[] = [SIGNATURE, BULK, CHANGES, LOOKUP, EXPLORER, AVATAR_PATH];

/** Each file's methods by its path. */
export function filePaths(described: Described): Part {
  const there = FILES.filter((file) => file.with === undefined || described.files.includes(file.with));
  return Object.fromEntries(there.map((file) => [`/${file.at ?? file.path}`, itemOf(file)]));
}

function sorted(folder: keyof typeof SORTED_FOLDERS, name: string, summary: string, file: string): File {
  const path = `${SORTED_FOLDERS[folder]}/{number}.txt`;
  return { path, name, summary: `${summary}, as sorted lines`, schema: text, with: file, parameters: NUMBERED };
}

function itemOf({ path, name, summary, schema, parameters = [], hasRanges }: File): Part {
  const { "Content-Type": type, "Cache-Control": caching } = fileHeaders(path.replace("{number}", "1"), "");
  const kind = hasRanges ? "Part" : path === EXPLORER ? "Explorer" : caching === NO_CACHE ? "State" : "File";
  const [mediaType = CONTENT_TYPE] = type.split(";");
  const own = headersOfFile(kind);
  const found = { description: `${summary}.`, headers: own, content: { [mediaType]: { schema } } };
  const some = { ...own, "Content-Range": ref("headers", "ContentRange") };
  const [notModified, notFound] = [ref("responses", `${kind}NotModified`), ref("responses", "NotFound")];
  return pathItem({
    name,
    summary,
    tag: "files",
    parameters: [...parameters, ref("parameters", "IfNoneMatch")],
    get: {
      200: found,
      ...(hasRanges && { 206: { ...found, description: "The bytes that Range names.", headers: some } }),
      304: notModified,
      404: notFound,
      ...(hasRanges && { 416: ref("responses", "NoSuchRange") }),
    },
    head: { 200: ref("responses", `${kind}Head`), 304: notModified },
  });
}
