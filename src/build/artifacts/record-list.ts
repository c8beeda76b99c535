/** records.sha256: a line for each record with its digest and key. */
import { recordFinder } from "../../core/contract/record/locate.js";
import { RECORDS } from "../../core/release/layout.js";
import { recordLines } from "../../core/release/record-lines.js";
import type { Artifact } from "./artifact.js";

export const RECORD_LIST: Artifact = {
  name: RECORDS,
  collector(contract) {
    const finder = recordFinder(contract);
    let lines: Buffer[] = [];
    return {
      collect({ first, bytes, text }) {
        const found = recordLines(finder, bytes, text);
        if (!found) throw new Error(`The page that begins with record ${first + 1} has a record without a key.`);
        lines.push(found);
      },
      take() {
        const piece = Uint8Array.from(Buffer.concat(lines));
        lines = [];
        return piece;
      },
    };
  },
  merger({ sink }) {
    const file = sink.create(RECORDS);
    return {
      merge: (piece) => file.write(piece),
      write: async () => file.finish(),
      close: () => file.close(),
    };
  },
};
