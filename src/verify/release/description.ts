/** openapi.json of a release, compared with what its contract and its snapshot.json give. */

import { OPTIONAL_FILES } from "../../artifacts/openapi/files.js";
import { describeApi } from "../../artifacts/openapi/openapi.js";
import { MAX_CONTRACT } from "../../contract/file/form.js";
import { canParse } from "../../contract/links.js";
import { shorten } from "../../print/text.js";
import { OPENAPI } from "../../release/layout.js";
import { UNVERIFIED } from "../lookup/differences.js";
import type { Findings } from "../verdict.js";
import { readPlainFile } from "./files.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** It repeats a contract, and each of its fields takes a few lines more. */
const MAX_DESCRIPTION = 16 * MAX_CONTRACT;

/** @returns why it is not compared, and its digest alone is. */
export async function checkDescription(
  folder: string,
  tree: Tree,
  { snapshot, contract }: Manifest,
  findings: Findings,
): Promise<string | undefined> {
  if (!tree.has(OPENAPI)) return `it has no ${OPENAPI}`;
  if (!contract || !snapshot || !canParse(snapshot.base_url)) return "what it is made of cannot be read";
  const note = (found: string, expected: string) =>
    findings.add({ check: "description", path: OPENAPI, found, expected });
  const text = await readPlainFile(folder, tree, OPENAPI, MAX_DESCRIPTION);
  if (text === undefined) {
    note("no file to read", "a description of what the release answers");
    return undefined;
  }
  const files = OPTIONAL_FILES.filter((path) => tree.has(path));
  const { base_url: baseUrl, links, encodings } = snapshot;
  const expected = describeApi(contract, { baseUrl, links, encodings, files });
  if (text !== expected) note(firstDifference(text, expected), UNVERIFIED);
  return undefined;
}

function firstDifference(found: string, expected: string): string {
  const wanted = expected.split("\n");
  const lines = found.split("\n");
  const at = lines.findIndex((line, index) => line !== wanted[index]);
  return at < 0 ? `only ${lines.length} lines` : `in line ${at + 1}: ${shorten(lines[at]?.trim() ?? "", 100)}`;
}
