/** The rules of x-listing: where the listing is, its words, its key and its order. */
import type { RoughFields } from "./fields.js";
import type { ContractFile, Listing } from "./form.js";
import { isScalarKind, kindsOf, mayBeNull } from "./kinds.js";
import { type Complain, mustBe, mustName, type Pointer } from "./mistakes.js";
import { DRAFT } from "./schema.js";

/** What else lies at the top of a release, so that no listing can begin there. */
export const TAKEN_NAMES: readonly string[] = [
  ...["contract.json", "openapi.json", "snapshot.json", "records.sha256"],
  ...["bulk.json", "bulk", "changes.json", "changes", "lookup", "index.html", "explorer", "adapters"],
  ...["sha256sums", "sha256sums.minisig", "avatar.svg", ".mark"],
];
/** A target that is published to may be a repository, and Rollcall keeps files of its own there. */
const KEPT = /^(?:\.git$|\.rollcall-)/i;
const PLACE = ["x-listing"] as const;

export function checkListing(file: Partial<ContractFile>, fields: RoughFields, complain: Complain): void {
  const { $schema, "x-listing": listing } = file;
  if ($schema !== undefined && $schema !== DRAFT && !/(?:^|\/)contract\.schema\.json$/.test($schema)) {
    complain(["$schema"], mustBe(`${DRAFT} or the path of contract.schema.json`, $schema));
  }
  if (!listing) return;
  checkPath(listing.path, complain);
  listing.words?.forEach((word: string | undefined, at) => {
    if (word !== undefined && !/^\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(word)) {
      complain([...PLACE, "words", at], mustBe("a word without control characters", word));
    }
  });
  checkOrder(listing, fields, complain);
  const { label } = listing;
  if (label === undefined) return;
  const schema = findField(label, [...PLACE, "label"], fields, complain)?.schema;
  if (schema && !kindsOf(schema).every(isScalarKind)) {
    complain([...PLACE, "label"], mustBe("a field of strings, numbers, or true and false", label));
  }
}

function checkPath(path: string | undefined, complain: Complain): void {
  if (path === undefined) return;
  const refuse = (allowed: string) => complain([...PLACE, "path"], mustBe(allowed, path));
  const segments = path.split("/").slice(1, -1);
  if (!/^\/(?:[A-Za-z0-9._~-]+\/)+$/.test(path)) {
    refuse("a path like /v1/stations/, with a slash at both ends and segments of letters, digits and . _ ~ -");
  } else if (path.length > 200) refuse("a path of at most 200 characters");
  else if (segments.some((segment) => segment === "." || segment.startsWith("..")))
    refuse("a path without the segment . and without segments that begin with ..");
  else if (segments.some((segment) => KEPT.test(segment))) {
    refuse("a path without .git and without segments that begin with .rollcall-, which are kept for git and Rollcall");
  } else if (TAKEN_NAMES.includes(segments[0]?.toLowerCase() ?? "")) {
    refuse(`a path that no other file of a release has, and ${segments[0]} is one`);
  }
}

function checkOrder({ key, order }: Partial<Listing>, fields: RoughFields, complain: Complain): void {
  if (key !== undefined) checkSortable(key, [...PLACE, "key"], fields, complain);
  const place = [...PLACE, "order"];
  const paths = order?.map((entry: string | undefined) => entry?.replace(/^-/, ""));
  paths?.forEach((path, at) => {
    if (path === undefined) return;
    if (paths.indexOf(path) < at) complain([...place, at], `repeats ${path}, by which records are in order already`);
    // Of a key that is no such field it is said above.
    else if (path !== key) checkSortable(path, [...place, at], fields, complain);
  });
  if (!paths || key === undefined || paths.at(-1) === undefined || paths.at(-1) === key) return;
  complain(place, `must end with the key, ${key}, which makes the order total, got ${paths.at(-1)}`);
}

function checkSortable(path: string, place: Pointer, fields: RoughFields, complain: Complain): void {
  const schema = findField(path, place, fields, complain)?.schema;
  if (!schema) return;
  const kinds = kindsOf(schema);
  if (mayBeNull(schema)) complain(place, mustBe("a field that is never null", path));
  else if (kinds.length > 1 || !kinds.every((kind) => kind === "string" || kind === "integer")) {
    complain(place, `must be a field of strings or of integers, got ${path}, which is ${kinds.join(" or ")}`);
  }
}

function findField(path: string, place: Pointer, fields: RoughFields, complain: Complain) {
  const found = fields.get(path);
  if (!found) complain(place, mustName("the path of a field", path, [...fields.keys()]));
  return found;
}
