/** What changed between two contracts, which is told before what changed in the records. */
import stringify from "fast-json-stable-stringify";
import { type Contract, membersOf } from "./contract.js";
import type { FieldSchema } from "./file/form.js";

/** A keyword whose value differs; undefined where a contract does not have it. */
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
  /** Records are named by another field, so that none of one side is found on the other. */
  hasOtherKey: boolean;
}

/** @returns undefined when both say the same. */
export function findContractChanges(old: Contract, now: Contract): ContractChanges | undefined {
  if (stringify(old.file) === stringify(now.file)) return undefined;
  const [older, newer] = [schemasOf(old), schemasOf(now)];
  return {
    added: onlyIn(now, old),
    removed: onlyIn(old, now),
    fields: [...newer].flatMap(([path, schema]) => {
      const other = older.get(path);
      return other ? differing(other, schema).map((change) => ({ path, ...change })) : [];
    }),
    listing: [...differing(about(old), about(now)), ...differing(old.listing, now.listing)],
    conditions: differing(sqlOf(old), sqlOf(now)).map(({ keyword: name, ...change }) => ({ name, ...change })),
    hasOtherKey: hasOtherKey(old, now),
  };
}

/** Whether records of two contracts are named by fields of different paths. */
export function hasOtherKey(old: Contract, now: Contract): boolean {
  return old.key.path !== now.key.path;
}

/** Paths of the fields of one contract that another does not have. */
function onlyIn({ fields }: Contract, other: Contract): string[] {
  const paths = new Set(other.fields.map(({ path }) => path));
  return fields.map(({ path }) => path).filter((path) => !paths.has(path));
}

/** All members of a record by their paths: of an object, not what is in it. */
function schemasOf({ file }: Contract): Map<string, FieldSchema> {
  const all = [...membersOf(file.properties)];
  return new Map(all.map(({ path, schema: { properties: _, required: __, ...schema } }) => [path, schema]));
}

const about = ({ file: { title, description } }: Contract) => ({ title, description });

const sqlOf = ({ conditions }: Contract) => Object.fromEntries(conditions.map(({ name, sql }) => [name, sql]));

/** The members that differ, by name. */
function differing<Value>(old: Record<string, Value> | object, now: Record<string, Value> | object) {
  const [before, after] = [new Map<string, Value>(Object.entries(old)), new Map<string, Value>(Object.entries(now))];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .map((keyword) => ({ keyword, old: before.get(keyword), new: after.get(keyword) }))
    .filter((change) => stringify(change.old) !== stringify(change.new));
}
