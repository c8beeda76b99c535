/** A contract, compiled from its file: its listing, and its fields in published order. */
import type { ContractFile, FieldSchema, Listing, NamedCondition } from "./file/form.js";
import { DEFAULT_PATH } from "./links.js";
import { kindOf, kindsOf } from "./record/kind.js";

/** A record as published: its fields by name. */
export type AnyRecord = Record<string, unknown>;

/** A member of a record at any depth: a field, or an object of fields. */
export interface Member {
  /** Dotted: `position.latitude`. */
  path: string;
  /** The parts of the path. */
  names: readonly string[];
  schema: FieldSchema;
}

/** A member that is not an object with fields of its own. */
export interface Field extends Member {
  /** The source's column. */
  column: string;
  /** Whether its column may hold NULL. What is published for it may be another value. */
  takesNull: boolean;
}

/** A field of the published order. */
export interface OrderField extends Field {
  isDescending: boolean;
  kind: "text" | "integer";
}

/** Frozen at every depth, since files of the same text share one contract. */
export interface Contract {
  file: ContractFile;
  /** The text of contract.json. */
  text: string;
  /** With the path and the label that a file may leave out. */
  listing: Listing & Readonly<Required<Pick<Listing, "path" | "label">>>;
  /** In published order: keys sorted at each depth. */
  fields: readonly Field[];
  /** The last one is the key. */
  order: readonly OrderField[];
  key: OrderField;
  label: Field;
  conditions: readonly NamedCondition[];
}

const compiled = new Map<string, Contract>();
/** Contracts by their frozen files, which are handed out and stay as they were checked. */
const byFile = new WeakMap<object, Contract>();

/** The contract that has this object as its file; undefined for any other object. */
export function ownerOf(file: object): Contract | undefined {
  return byFile.get(file);
}

/** Compiles a contract, once for each text. @param file a file that was checked; it is copied. */
export function contractOf(file: ContractFile): Contract {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  let contract = compiled.get(text);
  if (!contract) {
    contract = deepFrozen(compile(JSON.parse(text), text));
    compiled.set(text, contract);
    byFile.set(contract.file, contract);
  }
  return contract;
}

/** Freezes a value of plain objects and lists, with all values in it. */
function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const inside of Object.values(value)) deepFrozen(inside);
  return Object.freeze(value);
}

function compile(file: ContractFile, text: string): Contract {
  const fields = fieldsOf(file.properties);
  const order = file["x-listing"].order.map((entry): OrderField => {
    const isDescending = entry.startsWith("-");
    const field = fieldAt({ fields }, isDescending ? entry.slice(1) : entry);
    return { ...field, isDescending, kind: kindOf(field.schema) === "integer" ? "integer" : "text" };
  });
  const key = order.at(-1);
  if (!key) throw new Error("The contract has no order");
  const { path = DEFAULT_PATH, label = key.path } = file["x-listing"];
  const listing = { ...file["x-listing"], path, label };
  const conditions = file["x-observed"] ?? [];
  return { file, text, listing, fields, order, key, label: fieldAt({ fields }, listing.label), conditions };
}

const inPublishedOrder = (properties: object) => Object.keys(properties).sort();

/**
 * Walks all members of a record, each object before its own members.
 * @param namesOf lists the property names of an object in the wanted order; sorted by default.
 */
export function* membersOf(
  properties: ContractFile["properties"],
  namesOf: (properties: object) => string[] = inPublishedOrder,
  above: readonly string[] = [],
): Generator<Member> {
  for (const name of namesOf(properties)) {
    const schema = properties[name] ?? {};
    const names = [...above, name];
    yield { path: names.join("."), names, schema };
    if (schema.properties) yield* membersOf(schema.properties, namesOf, names);
  }
}

/** Lists the fields of a record: all members but objects. */
export function fieldsOf(properties: ContractFile["properties"], namesOf?: (properties: object) => string[]): Field[] {
  return [...membersOf(properties, namesOf)]
    .filter(({ schema }) => !schema.properties)
    .map((member) => {
      const { "x-column": column = member.names.join("_"), "x-null": rule } = member.schema;
      return { ...member, column, takesNull: rule !== undefined || kindsOf(member.schema).nullable };
    });
}

/** Finds a field by its path. @throws Error if there is none, which a checked contract rules out. */
export function fieldAt({ fields }: Pick<Contract, "fields">, path: string): Field {
  const field = fields.find((other) => other.path === path);
  if (!field) throw new Error(`The contract has no field ${path}`);
  return field;
}
