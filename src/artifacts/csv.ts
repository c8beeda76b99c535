/** records.csv.gz: a row for each record, in published order, with a column for each field. */
import { csvHeading, csvLineOf } from "../contract/record/csv.js";
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
