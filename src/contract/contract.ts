/** A contract, read and ready to use: its listing, and its fields in published order. */
import type { ContractFile, FieldSchema, Listing, NamedCondition } from "./file/form.js";
import { kindOf } from "./record/kind.js";
import { USERS } from "./users.js";

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

/** One field that is not an object with fields of its own. */
export interface Field extends Member {
  /** The source's column. */
  column: string;
}

/** A field of the published order. */
export interface OrderField extends Field {
  isDescending: boolean;
  kind: "text" | "integer";
}

export interface Contract {
  file: ContractFile;
  /** contract.json of its releases. */
  text: string;
  listing: Listing & { readonly label: string };
  /** In published order: keys sorted at each depth. */
  fields: readonly Field[];
  /** The last one is the key. */
  order: readonly OrderField[];
  key: OrderField;
  label: Field;
  conditions: readonly NamedCondition[];
}

const compiled = new Map<string, Contract>();
/** The files of contracts, which nobody else can change. */
const used = new WeakSet<object>();

/** Whether this is the very file of a contract in use, so that it was checked before. */
export function isInUse(file: object): boolean {
  return used.has(file);
}

/** @param file a contract file that has been checked, see `checkContract`. */
export function contractOf(file: ContractFile): Contract {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  let contract = compiled.get(text);
  if (!contract) {
    contract = compile(file, text);
    compiled.set(text, contract);
    used.add(contract.file);
  }
  return contract;
}

function compile(file: ContractFile, text: string): Contract {
  const fields = [...membersOf(file.properties)]
    .filter(({ schema }) => !schema.properties)
    .map((member): Field => ({ ...member, column: member.schema["x-column"] ?? member.names.join("_") }));
  const order = file["x-listing"].order.map((entry): OrderField => {
    const isDescending = entry.startsWith("-");
    const field = fieldAt({ fields }, isDescending ? entry.slice(1) : entry);
    return { ...field, isDescending, kind: kindOf(field.schema) === "integer" ? "integer" : "text" };
  });
  const key = order.at(-1);
  if (!key) throw new Error("The contract has no order");
  const listing = { ...file["x-listing"], label: file["x-listing"].label ?? key.path };
  const conditions = file["x-observed"] ?? [];
  return { file, text, listing, fields, order, key, label: fieldAt({ fields }, listing.label), conditions };
}

const inPublishedOrder = (properties: object) => Object.keys(properties).sort();

/**
 * All members of a record, each object before what is in it.
 * @param namesOf gives the names of an object's properties in the order that is wanted.
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

/** @throws Error for a path of no field, which a contract that was checked does not name. */
export function fieldAt({ fields }: Pick<Contract, "fields">, path: string): Field {
  const field = fields.find((other) => other.path === path);
  if (!field) throw new Error(`The contract has no field ${path}`);
  return field;
}

/** The built-in one. */
export const USERS_CONTRACT: Contract = contractOf(USERS);
