/** Checks x-listing: path, columns, label, key and order. */
import { isScalarKind, kindsOf, mayBeNull } from "../record/kind.js";
import { findField, type UncheckedFields } from "./field-rules.js";
import type { ContractFile, Listing } from "./form.js";
import { display, type Place } from "./mistakes.js";
import { DRAFT } from "./shapes.js";

/** Names at the top of a release, with which a listing's path cannot begin. */
export const TAKEN_NAMES: readonly string[] = [
  ...["contract.json", "openapi.json", "snapshot.json", "records.sha256"],
  ...["bulk.json", "bulk", "records.csv.gz", "changes.json", "changes", "lookup", "index.html", "explorer"],
  ...["sha256sums", "sha256sums.minisig", "avatar.svg", ".mark"],
  // Files of hosts (hosts/).
  ...["405.json", "_worker.js", "vercel.json", ".htaccess", ".assetsignore", ".nojekyll", ".release"],
];
/** Names that git and Rollcall use in a folder that is published to. */
const KEPT = /^(?:\.git$|\.rollcall-)/i;

/** Checks `$schema` and `x-listing`, and adds mistakes to their places. */
export function checkListing(file: Partial<ContractFile>, fields: UncheckedFields, top: Place): void {
  const { $schema, "x-listing": listing } = file;
  if ($schema !== undefined && $schema !== DRAFT && !/(?:^|\/)contract\.schema\.json$/.test($schema)) {
    top.at("$schema").mustBe(`${DRAFT} or the path of contract.schema.json`, $schema);
  }
  if (!listing) return;
  const here = top.at("x-listing");
  const { path, label, columns } = listing;
  if (path !== undefined) checkPath(path, here.at("path"));
  checkOrder(listing, fields, here);
  columns?.forEach((column: string | undefined, at) => {
    if (column === undefined) return;
    const place = here.at("columns", at);
    if (columns.indexOf(column) < at) place.refuse(`is listed twice: ${display(column)}`);
    else findField(column, place, fields);
  });
  if (label === undefined) return;
  const schema = findField(label, here.at("label"), fields)?.schema;
  if (schema && !kindsOf(schema).every(isScalarKind)) {
    here.at("label").mustBe("a field of strings, numbers, or true and false", label);
  }
}

function checkPath(path: string, here: Place): void {
  const refuse = (allowed: string) => here.mustBe(allowed, path);
  const segments = path.split("/").slice(1, -1);
  if (!/^\/(?:[A-Za-z0-9._~-]+\/)*$/.test(path)) {
    refuse(
      "a path like /v1/stations/ or just /, with a slash at both ends and segments of letters, digits and . _ ~ -",
    );
  } else if (path.length > 200) refuse("a path of at most 200 characters");
  else if (segments.some((segment) => segment === "." || segment.startsWith(".."))) {
    refuse("a path without the segment . and without segments that begin with ..");
  } else if (segments.some((segment) => KEPT.test(segment))) {
    refuse("a path without .git and without segments that begin with .rollcall-, which git and Rollcall use");
  } else if (TAKEN_NAMES.includes(segments[0]?.toLowerCase() ?? "")) {
    refuse(`a path that does not begin with ${segments[0]}, which a release uses itself`);
  }
}

function checkOrder({ key, order }: Partial<Listing>, fields: UncheckedFields, here: Place): void {
  if (key !== undefined) checkSortable(key, here.at("key"), fields);
  const paths = order?.map((entry: string | undefined) => entry?.replace(/^-/, ""));
  paths?.forEach((path, at) => {
    if (path === undefined) return;
    const place = here.at("order", at);
    if (paths.indexOf(path) < at) place.refuse(`is listed twice: ${path}`);
    // The key was checked above.
    else if (path !== key) checkSortable(path, place, fields);
  });
  const last = paths?.at(-1);
  if (key === undefined || last === undefined || last === key) return;
  here.at("order").refuse(`must end with the key, ${key}, so that the order is total, got ${last}`);
}

function checkSortable(path: string, here: Place, fields: UncheckedFields): void {
  const schema = findField(path, here, fields)?.schema;
  if (!schema) return;
  const kinds = kindsOf(schema);
  if (mayBeNull(schema)) here.mustBe("a field that is never null", path);
  else if (kinds.length > 1 || !kinds.every((kind) => kind === "string" || kind === "integer")) {
    here.refuse(`must be a field of strings or of integers, got ${path}, which is ${kinds.join(" or ")}`);
  }
}
