/** Columns that no contract can take as they are, with the SQL that makes something of them. */
import { quote } from "../source/relation.js";
import { type ColumnTally, type Example, STORAGE, type Storage } from "./tally.js";
import { example, of, sqlFor } from "./words.js";

interface Unusable {
  what: string;
  why: string;
  sql: string;
}

/** Undefined for a column whose values a field can have. */
export function findUnusable(tally: ColumnTally): Unusable | undefined {
  const { counts, rows } = tally;
  const name = quote(tally.column);
  const say = (what: string, why: string, sql: string) => ({ what, why, sql: sqlFor(sql, tally.column) });
  if (counts.BLOB > 0 && counts.BLOB + counts.NULL === rows)
    return say("BLOB", `bytes, which JSON cannot hold; as text`, blobSql(tally, name));
  const kinds = STORAGE.filter((storage) => storage !== "NULL" && counts[storage] > 0);
  if (kinds.length > 1 && !kinds.every(isNumeric)) return mixed(tally, kinds, name, say);
  if (tally.unsafe > 0)
    return say(
      "too large",
      `${of(tally.unsafe, rows)} beyond 2^53, which readers would round, such as ${example(tally.firstUnsafe)}; as text`,
      `CAST(${name} AS TEXT)`,
    );
  if (tally.infinite > 0)
    return say(
      "infinite",
      `${of(tally.infinite, rows)} not finite, such as ${example(tally.firstInfinite)}; with NULL for those`,
      `CASE WHEN abs(${name}) < 9e999 THEN ${name} END`,
    );
  if (tally.undecodable > 0)
    return say(
      "not UTF-8",
      `${of(tally.undecodable, rows)}, such as in ${tally.firstUndecodable}; mend ${tally.undecodable === 1 ? "it" : "them"}, or show the bytes`,
      `hex(${name})`,
    );
  return undefined;
}

function isNumeric(storage: Storage): boolean {
  return storage === "INTEGER" || storage === "REAL";
}

/** The storage class of most values, with one example of another. */
function mixed(
  { counts, firsts, rows }: ColumnTally,
  kinds: readonly Storage[],
  name: string,
  say: (what: string, why: string, sql: string) => Unusable,
): Unusable {
  const sorted = [...kinds].sort((one, other) => counts[other] - counts[one]);
  const [main = "TEXT"] = sorted;
  const odd = sorted.slice(1).filter((kind) => !(isNumeric(kind) && isNumeric(main)));
  const first: Example | undefined = firsts[odd[0] ?? main];
  const share = sorted.map((kind) => `${of(counts[kind], rows)} ${kind}`).join(", ");
  const types = isNumeric(main) ? "'integer', 'real'" : `'${main.toLowerCase()}'`;
  const sql =
    counts[main] * 2 > rows && main !== "BLOB"
      ? `CASE WHEN typeof(${name}) IN (${types}) THEN ${name} END`
      : `CAST(${name} AS TEXT)`;
  return say(
    "mixed",
    `${share}, such as ${example(first)}; ${sql.startsWith("CAST") ? "as text" : "with NULL for those"}`,
    sql,
  );
}

function blobSql({ bytes }: ColumnTally, name: string): string {
  if (bytes.size !== 1 || !bytes.has(16)) return `hex(${name})`;
  const part = (at: number, length: number) => `substr(hex(${name}), ${at}, ${length})`;
  return [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(" || '-' || ");
}
