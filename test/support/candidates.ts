/** The candidates of a whole source, as the pipeline reads them row by row. */
import type { Candidate } from "../../src/core/source/candidates.js";
import type { CopyOptions } from "../../src/core/source/copy.js";
import { openSources, type Source, type SourceOptions } from "../../src/core/source/open.js";
import { PageReader } from "../../src/core/source/reader.js";

/** Opens the source of one listing. */
export async function openSource(options: SourceOptions): Promise<Source> {
  const [source] = await openSources(options.db, new Map([["", options]]));
  if (!source) throw new Error("There is no source");
  return source;
}

export async function readCandidates(options: CopyOptions): Promise<Candidate[]> {
  const source = await openSource(options);
  const { contract, defaultAvatar } = options;
  const reader = new PageReader(source.copy, { contract: contract.file, ...(defaultAvatar && { defaultAvatar }) });
  try {
    return [...reader.candidates({ before: 0, rows: source.count })];
  } finally {
    reader.close();
    source.close();
  }
}
