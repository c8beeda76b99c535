/** docs/reference/http.md names every field of the built-in contract with its type, and the allowed values of enumerations. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kindsOf } from "../../src/core/contract/record/kind.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";

const DOC = readFileSync(new URL("../../docs/reference/http.md", import.meta.url), "utf8");
const [, SECTION = ""] = /^## Fields of a user$(.*?)^## /ms.exec(DOC) ?? [];
const ROWS = [...SECTION.matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)].slice(2);

test("the table of fields is that of the contract", () => {
  const named = ROWS.flatMap(([, paths = "", type = ""]) =>
    paths.split(", ").map((path) => [path, type.replace("array of string", "array")]),
  );
  const fields = USERS_CONTRACT.fields.map(({ path, schema }) => {
    const { kinds, nullable } = kindsOf(schema);
    return [path, [...kinds, ...(nullable ? ["null"] : [])].join(" or ")];
  });
  expect(named.sort()).toEqual(fields.sort());
});

test("the values of enumerations are all there", () => {
  for (const { path, schema } of USERS_CONTRACT.fields) {
    const [, , , rule = ""] = ROWS.find(([, paths = ""]) => paths.split(", ").includes(path)) ?? [];
    for (const value of schema.enum ?? []) expect(rule).toContain(`${value}`);
  }
});
