/** Columns that no contract can take as they are, with the SQL that makes something of them. */
import { quoteName } from "../contract/sql.js";
import type { Decision } from "./decision.js";
import { dashed } from "./forms.js";
import { type ColumnTally, STORAGE, type Storage } from "./tally.js";
import { example, of, sqlFor } from "./words.js";

type Unusable = Pick<Decision, "what" | "why" | "better">;
type Say = (what: string, why: string, better: string, sql: string) => Unusable;

/** Undefined for a column whose values a field can have. */
export function findUnusable(tally: ColumnTally): Unusable | undefined {
  const { counts, rows, column } = tally;
  const name = quoteName(column);
  const say: Say = (what, why, better, sql) => {
    return { what, why, better: { what: better, sql: sqlFor(sql, column) } };
  };
  if (column === "") return { what: "no name", why: "it is empty; name the column in a query, with AS" };
  if (/\p{Cc}/u.test(column))
    return { what: "no name", why: "there is a control character in it; name it otherwise in a query, with AS" };
  if (counts.BLOB > 0 && counts.BLOB + counts.NULL === rows) {
    const isUuid = tally.bytes.size === 1 && tally.bytes.has(16);
    const sql = isUuid ? dashed(`hex(${name})`) : `hex(${name})`;
    return say("BLOB", "bytes, which JSON cannot hold", isUuid ? "a UUID" : "text", sql);
  }
  const kinds = STORAGE.filter((storage) => storage !== "NULL" && counts[storage] > 0);
  if (kinds.length > 1 && !kinds.every(isNumeric)) return mixed(tally, kinds, say);
  if (tally.unsafe > 0) {
    const why = `${of(tally.unsafe, rows)} beyond 2^53, which readers would round, such as ${example(tally.firstUnsafe)}`;
    return say("too large", why, "text", `CAST(${name} AS TEXT)`);
  }
  if (tally.infinite > 0) {
    const why = `${of(tally.infinite, rows)}, such as ${example(tally.firstInfinite)}`;
    return say("infinite", why, "a number or null", `CASE WHEN abs(${name}) < 9e999 THEN ${name} END`);
  }
  if (tally.undecodable === 0) return undefined;
  const why = `${of(tally.undecodable, rows)}, such as in ${tally.firstUndecodable}, to be mended there`;
  return say("not UTF-8", why, "its bytes as text", `hex(${name})`);
}

function isNumeric(storage: Storage): boolean {
  return storage === "INTEGER" || storage === "REAL";
}

/** Named by the storage class of most values, with one example of another. */
function mixed(tally: ColumnTally, kinds: readonly Storage[], say: Say): Unusable {
  const { counts, firsts, rows, column } = tally;
  const name = quoteName(column);
  const [main = "TEXT", ...others] = [...kinds].sort((one, other) => counts[other] - counts[one]);
  const odd = others.find((kind) => !(isNumeric(kind) && isNumeric(main))) ?? main;
  const share = [main, ...others].map((kind) => `${of(counts[kind], rows)} ${kind}`).join(", ");
  const why = `${share}, such as ${example(firsts[odd])}`;
  if (main === "BLOB") return say("mixed", why, "text", `hex(${name})`);
  if (counts[main] * 2 <= rows && counts.BLOB === 0) return say("mixed", why, "text", `CAST(${name} AS TEXT)`);
  const [types, better] = isNumeric(main) ? ["'integer', 'real'", "a number or null"] : ["'text'", "text or null"];
  return say("mixed", why, better, `CASE WHEN typeof(${name}) IN (${types}) THEN ${name} END`);
}
