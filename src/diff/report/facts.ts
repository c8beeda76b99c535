/** Data for the script of the HTML report, besides the changes. */
import type { Field } from "../../core/contract/contract.js";

export interface ReportFacts {
  /** The member of a line with a whole record. */
  record: string;
  /** The fields of added and removed records. */
  fields: Readonly<Record<"added" | "removed", readonly Pick<Field, "path" | "names">[]>>;
  /** Paths of the fields that closed rows show. */
  shown: readonly string[];
  /** The explorer of the new snapshot, if there is one. */
  explorer: string | undefined;
}
