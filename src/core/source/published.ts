/** SQL for the published value of a field: its column, or the value for NULL. */
import { type Contract, type Field, fieldAt } from "../contract/contract.js";
import type { NullRule } from "../contract/file/form.js";
import { kindsOf } from "../contract/record/kind.js";
import { quoteName, quoteValue } from "../contract/sql.js";

/** The characters that JavaScript's `trim` removes: Unicode white space, line terminators, and U+FEFF. */
const WHITE_SPACE =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

/**
 * The name of a column in the copy, quoted. The point keeps it apart from the copy's own column, and from `true` and `false`, which
 * SQLite replaces as names of columns of a subquery.
 */
export function copyColumn(column: string): string {
  return quoteName(`.${column}`);
}

/** The parameters of `publishedSql`. */
export function publishedParameters(defaultAvatar: string | undefined) {
  return { defaultAvatar: defaultAvatar ?? null, whiteSpace: WHITE_SPACE };
}

/** Makes SQL for the value of a column, over columns of the copy. */
export type ColumnSql = (column: string) => string;

/** SQL for the published value of a field, over columns of the copy. Bind `publishedParameters`. */
export function publishedSql(contract: Contract, field: Field, columnSql: ColumnSql = copyColumn): string {
  const rule = field.schema["x-null"];
  const column = columnSql(field.column);
  return rule ? `coalesce(${column}, ${ruleSql(contract, rule, columnSql)})` : column;
}

function ruleSql(contract: Contract, rule: NullRule, columnSql: ColumnSql): string {
  if ("const" in rule) return quoteValue(rule.const);
  if ("setting" in rule) return "@defaultAvatar";
  if ("field" in rule) return publishedSql(contract, fieldAt(contract, rule.field), columnSql);
  const texts = rule.join.map((path) => {
    const field = fieldAt(contract, path);
    const sql = publishedSql(contract, field, columnSql);
    return kindsOf(field.schema).nullable ? `coalesce(${sql}, '')` : sql;
  });
  const joined = `trim(${texts.join(" || ' ' || ")}, @whiteSpace)`;
  if (!rule.empty) return joined;
  const isEmpty = texts.map((text) => `${text} = ''`).join(" AND ");
  return `CASE WHEN ${isEmpty} THEN ${ruleSql(contract, rule.empty, columnSql)} ELSE ${joined} END`;
}
