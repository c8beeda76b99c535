/** records.csv.gz: a row for each record, in published order, with a column for each field. */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import { kindOf } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { CSV } from "../release/layout.js";
import { type Artifact, splitPieces } from "./artifact.js";
import { compressed, MemberCollector } from "./bulk.js";

export const CSV_FILE: Artifact = {
  name: "csv",
  collector: (contract, pageSize) => new MemberCollector(pageSize, csvLineOf(contract)),
  merger({ contract, sink }) {
    const file = sink.create(CSV);
    file.write(compressed(Buffer.from(`${csvHeading(contract)}\n`)));
    return {
      merge(piece) {
        for (const member of splitPieces(piece)) file.write(member);
      },
      write: async () => file.finish(),
      close: () => file.close(),
    };
  },
};

/** The fields' paths, such as `position.latitude`. */
export function csvHeading({ fields }: Pick<Contract, "fields">): string {
  return fields.map(({ path }) => quoted(defused(path))).join(",");
}

/** Makes the line of a record, without its newline. Lines end in LF, which every reader of CSV takes, and awk and MySQL only that. */
export function csvLineOf({ fields }: Pick<Contract, "fields">): (record: unknown) => string {
  const cells = fields.map((field) => ({ field, isJson: kindOf(field.schema) === "json" }));
  return (record) => cells.map(({ field, isJson }) => cellOf(valueAt(record, field), isJson)).join(",");
}

/** Null is nothing at all, and an empty text is `""`, so that readers who can tell them apart do. */
function cellOf(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string" || isJson) return quoted(stringify(value));
  return value === "" ? '""' : quoted(defused(value));
}

/** Spreadsheets run a text that begins like a formula, unless an apostrophe comes first. */
function defused(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
