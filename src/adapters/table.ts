/** The table of hosts as rows of text: the command prints it, and docs/hosts.md has the same. */
import { count, size } from "../print/numbers.js";
import type { Adapter, AdapterLimits } from "./rules/adapter.js";

export const ADAPTER_COLUMNS = [
  "host",
  "?page=N",
  "headers",
  "OPTIONS",
  "405",
  "404",
  "compression",
  "limits",
  "tested",
] as const;

/** One host's cells, in the order of `COLUMNS`. */
export function adapterRow({ name, claims, limits }: Adapter): string[] {
  const { query, headers, options, refusal, missing, compression, tested } = claims;
  return [name, query, headers, options, refusal, missing, compression, limitsOf(limits), tested];
}

function limitsOf({ files, filesInFolder, bytesInFile, bytes, upload, source }: AdapterLimits): string {
  const parts = [
    files !== undefined && count(files, "file"),
    filesInFolder !== undefined && `${count(filesInFolder, "file")} a folder`,
    upload !== undefined && `${count(upload, "file")} an upload`,
    bytesInFile !== undefined && `${size(bytesInFile)} a file`,
    bytes !== undefined && `${size(bytes)} in all`,
  ];
  const figures = parts.filter(Boolean).join(", ");
  return figures === "" ? "none" : `${figures} (${source})`;
}
