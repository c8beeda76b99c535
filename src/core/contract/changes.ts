/** Finds what changed between two contracts. Reports show it before changes of records. */
import stringify from "fast-json-stable-stringify";
import { type Contract, membersOf } from "./contract.js";
import type { FieldSchema } from "./file/form.js";

/** A keyword whose value differs. A side is undefined if that contract does not have the keyword. */
interface KeywordChange<Value = unknown> {
  keyword: string;
  old: Value | undefined;
  new: Value | undefined;
}

export interface ContractChanges {
  /** Paths of fields that only the new contract has, in published order. */
  added: readonly string[];
  removed: readonly string[];
  /** What differs in fields that both have. */
  fields: readonly (KeywordChange & { path: string })[];
  /** What differs in the listing (`key`, `path`, `words`, ...), and in the title and description of a record. */
  listing: readonly KeywordChange[];
  /** Named SQL conditions that differ. */
  conditions: readonly { name: string; old: string | undefined; new: string | undefined }[];
  /** The key is another field, so records of the two sides cannot be matched. */
  hasOtherKey: boolean;
}

/** Compares two contracts. @returns undefined if they are equal. */
export function findContractChanges(old: Contract, now: Contract): ContractChanges | undefined {
  if (stringify(old.file) === stringify(now.file)) return undefined;
  const older = schemasOf(old);
  const newer = schemasOf(now);
  return {
    added: onlyIn(now, old),
    removed: onlyIn(old, now),
    fields: [...newer].flatMap(([path, schema]) => {
      const other = older.get(path);
      return other ? differing(other, schema).map((change) => ({ path, ...change })) : [];
    }),
    listing: [...differing(titleOf(old), titleOf(now)), ...differing(old.listing, now.listing)],
    conditions: differing(sqlOf(old), sqlOf(now)).map(({ keyword: name, ...change }) => ({ name, ...change })),
    hasOtherKey: hasOtherKey(old, now),
  };
}

/** Whether the keys of two contracts are fields of different paths. */
export function hasOtherKey(old: Contract, now: Contract): boolean {
  return old.key.path !== now.key.path;
}

/** Paths of the fields of one contract that another does not have. */
function onlyIn({ fields }: Contract, other: Contract): string[] {
  const paths = new Set(other.fields.map(({ path }) => path));
  return fields.map(({ path }) => path).filter((path) => !paths.has(path));
}

/** Schemas of all members of a record by path; those of objects without their properties. */
function schemasOf({ file }: Contract): Map<string, FieldSchema> {
  const all = [...membersOf(file.properties)];
  return new Map(all.map(({ path, schema: { properties: _, required: __, ...schema } }) => [path, schema]));
}

const titleOf = ({ file: { title, description } }: Contract) => ({ title, description });

const sqlOf = ({ conditions }: Contract) => Object.fromEntries(conditions.map(({ name, sql }) => [name, sql]));

/** Members of two objects that differ, sorted by name. */
function differing<Value>(old: Record<string, Value> | object, now: Record<string, Value> | object) {
  const before = new Map<string, Value>(Object.entries(old));
  const after = new Map<string, Value>(Object.entries(now));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .map((keyword) => ({ keyword, old: before.get(keyword), new: after.get(keyword) }))
    .filter((change) => stringify(change.old) !== stringify(change.new));
}
