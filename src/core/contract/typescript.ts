/** Writes a contract as a TypeScript interface, with the descriptions of its fields. */
import type { Contract } from "./contract.js";
import type { FieldSchema, ValueSchema } from "./file/form.js";

/** Makes `export interface Station {...}`. */
export function toTypeScript({ file, listing }: Pick<Contract, "file" | "listing">): string {
  const name = typeName(file.title ?? "") || typeName(listing.words[0]) || "Item";
  return `${doc(file.description ?? file.title, "")}export interface ${name} ${objectType(file.properties, "")}\n`;
}

/** Makes a type name of a title: `Weather station` becomes `WeatherStation`. */
export function typeName(title: string): string {
  const words = title.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const name = words.map((word) => word.replace(/^./u, (first) => first.toUpperCase())).join("");
  return /^\p{L}/u.test(name) ? name : name && `_${name}`;
}

function objectType(properties: { readonly [name: string]: FieldSchema }, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${doc(schema.description ?? schema.title, inner)}${inner}${key}: ${typeOfValue(schema, inner)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function typeOfValue(schema: ValueSchema, indent: string): string {
  const { type, enum: values, const: constant, anyOf, items, properties } = schema;
  if (schema["x-json"]) return "unknown";
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return union(values.map((value) => JSON.stringify(value)));
  if (anyOf) return union(anyOf.map((option) => typeOfValue(option, indent)));
  const named = (one: string): string => {
    if (one === "array") return listOf(items ? typeOfValue(items, indent) : "unknown");
    if (one === "object") return properties ? objectType(properties, indent) : "unknown";
    return one === "integer" ? "number" : one;
  };
  return union([type ?? "object"].flat().map(named));
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function listOf(type: string): string {
  return / \| /.test(type) && !type.startsWith("{") ? `(${type})[]` : `${type}[]`;
}

/** Writes a text as a docstring, and escapes the end of a comment in it. */
function doc(text: string | undefined, indent: string): string {
  const line = text
    ?.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .replaceAll("*/", "*\\/");
  return line ? `${indent}/** ${line} */\n` : "";
}
