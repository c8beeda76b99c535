/** Types of a contract file: a JSON Schema of one record, with `x-` keywords for its source and its listing. */

/** Maximum bytes of a contract file. */
export const MAX_CONTRACT = 1_000_000;

type Scalar = "string" | "integer" | "number" | "boolean" | "array" | "object";

/** What a NULL in the source publishes. */
export type NullRule =
  | { readonly const: unknown }
  | { readonly field: string }
  | { readonly join: readonly string[]; readonly empty?: NullRule }
  | { readonly setting: "defaultAvatar" };

/** The schema of one value. Keywords are those of JSON Schema 2020-12; formats are checked, patterns have the flag `u`. */
export interface ValueSchema {
  readonly type?: Scalar | readonly [Exclude<Scalar, "object">, "null"];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: "uuid" | "date" | "date-time" | "uri";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: ValueSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly ValueSchema[];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: { readonly [name: string]: FieldSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** Any JSON value. */
  readonly "x-json"?: true;
}

/** A field: the schema of its value, and its source. */
export interface FieldSchema extends ValueSchema {
  readonly "x-column"?: string;
  readonly "x-null"?: NullRule;
  /** Texts that mean NULL in CSV and TSV, besides empty cells. */
  readonly "x-null-marks"?: readonly string[];
  /** A narrower schema: a value outside it is published, with a warning. */
  readonly "x-observed"?: ValueSchema & Pick<FieldSchema, "x-references">;
  /** The name of a listing of the same site. The value is the key of a record there. */
  readonly "x-references"?: string;
  readonly "x-facet"?: boolean;
  /** The URL of an image of the record: on the listing's own host, or on this origin. */
  readonly "x-image"?: true | string;
}

export interface Listing {
  /** Path below the base URL, with a slash at both ends: `/v1/stations/`; `/`, the base URL itself, by default. */
  readonly path?: string;
  /** Singular and plural: `station`, `stations`. */
  readonly words: readonly [one: string, many: string];
  /** The field that identifies a record. */
  readonly key: string;
  /** Sort fields, with `-` before descending ones; the key is the last. */
  readonly order: readonly string[];
  /** The field that reports and the explorer show as a record's name; the key by default. */
  readonly label?: string;
  readonly version: number;
  /** Title for the explorer and openapi.json. */
  readonly title?: string;
  readonly description?: string;
  readonly publisher?: string;
  /** An SPDX id or a URL. */
  readonly license?: string;
  /** The URL of the data's origin. */
  readonly source?: string;
  /** A URL or an e-mail address. */
  readonly contact?: string;
  /** The fields that a table of records shows, in this order. */
  readonly columns?: readonly string[];
}

/** A named SQL condition over the source's columns. If it is not true, the record is published with a warning of that name. */
export interface NamedCondition {
  readonly name: string;
  readonly sql: string;
}

export interface ContractFile {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type: "object";
  readonly "x-listing": Listing;
  readonly properties: { readonly [name: string]: FieldSchema };
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly "x-observed"?: readonly NamedCondition[];
}

type OfType<Type> = Type extends "string"
  ? string
  : Type extends "integer" | "number"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : unknown;

/** The type of the values of a schema that is declared `as const`. */
type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] }
      ? ValueOf<Option>
      : Schema extends { readonly properties: unknown }
        ? RecordOf<Schema>
        : Schema extends { readonly type: "array"; readonly items: infer Item }
          ? ValueOf<Item>[]
          : Schema extends { readonly type: readonly (infer Type)[] }
            ? OfType<Type>
            : Schema extends { readonly type: infer Type }
              ? OfType<Type>
              : unknown;

/** The type of the records of a contract that is declared `as const`. For any other contract, an object with any fields. */
export type RecordOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? { -readonly [Name in keyof Properties]: ValueOf<Properties[Name]> }
  : never;
