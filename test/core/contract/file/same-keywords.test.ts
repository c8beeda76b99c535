/** contract.schema.json, the types of a contract file and its reference have the same keywords. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FORMATS } from "../../../../src/core/contract/record/keywords.js";
import { contractSchema } from "../../../support/editors.js";

const TYPES = readFileSync(new URL("../../../../src/core/contract/file/form.ts", import.meta.url), "utf8");
const { $defs = {}, ...top } = contractSchema;

/** The keywords of a part of the schema. */
const keywordsOf = (name: string) => Object.keys((name === "top" ? top : $defs[name])?.properties ?? {}).sort();

/** The text of an exported type, up to the next declaration. */
function typeText(name: string): string {
  const text = TYPES.split(/^(?:export )?(?=interface |type )/m).find((one) => one.split(/\W/)[1] === name);
  return text ?? expect.fail(`form.ts has no type ${name}`);
}

/** The members of types. */
function membersOf(...names: string[]): string[] {
  const all = names.flatMap((name) => [...typeText(name).matchAll(/(?:^ {2}|[{;] )readonly "?([\w$-]+)"?\??:/gm)]);
  return [...new Set(all.map(([, member = ""]) => member))].sort();
}

/** The values of a type of texts, or of such a member. */
const textsIn = (text = "") => [...text.matchAll(/"([\w-]+)"/g)].map(([, value = ""]) => value).sort();

describe("types", () => {
  test.each([
    ["top", ["ContractFile"]],
    ["listing", ["Listing"]],
    ["field", ["ValueSchema", "FieldSchema"]],
    ["item", ["ValueSchema"]],
    ["null", ["NullRule"]],
    ["condition", ["NamedCondition"]],
  ])("%s has the keywords of %j", (part, types) => {
    expect(keywordsOf(part)).toEqual(membersOf(...types));
  });

  test.each(["option", "observed"])("%s has keywords of fields only", (part) => {
    expect(keywordsOf("field")).toEqual(expect.arrayContaining(keywordsOf(part)));
  });

  test("types and formats have the same values", () => {
    const { type, format } = $defs["field"]?.properties ?? {};
    expect([...(type?.anyOf?.[0]?.enum ?? [])].sort()).toEqual(textsIn(/^type Scalar = .*$/m.exec(TYPES)?.[0]));
    expect([...(format?.enum ?? [])].sort()).toEqual(textsIn(/ format\?: .*$/m.exec(TYPES)?.[0]));
    expect(Object.keys(FORMATS)).toEqual(expect.arrayContaining([...(format?.enum ?? [])]));
  });
});

describe("docs/reference/contract-file.md", () => {
  const sections = readFileSync(new URL("../../../../docs/reference/contract-file.md", import.meta.url), "utf8").split(
    /^## /m,
  );
  const section = (heading: string) => sections.find((text) => text.startsWith(`${heading}\n`)) ?? expect.fail(heading);
  const named = (text: string) => [...text.matchAll(/`"?([\w$-]+)"?(?:: [^`]*)?`/g)].map(([, name = ""]) => name);
  const rows = (text: string) => [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => named(cell));

  test("the table of the listing has its keywords", () => {
    expect(rows(section("The listing: `x-listing`")).sort()).toEqual(keywordsOf("listing"));
  });

  test("the section of fields has theirs, and no others in its table", () => {
    const text = section("Records and fields");
    expect(named(text)).toEqual(expect.arrayContaining(keywordsOf("field")));
    expect(keywordsOf("field")).toEqual(expect.arrayContaining(rows(text)));
    const { type, format } = $defs["field"]?.properties ?? {};
    expect(named(text)).toEqual(expect.arrayContaining([...(type?.anyOf?.[0]?.enum ?? []), ...(format?.enum ?? [])]));
  });

  test("the section of NULL has the rules of x-null", () => {
    const rules = new Set([...section("NULL").matchAll(/"(\w+)":/g)].map(([, name = ""]) => name));
    expect([...rules].sort()).toEqual(keywordsOf("null"));
  });
});
