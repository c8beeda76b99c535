/** The type of a column of cells says the same as each cell: no two texts become one value. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ABSENCE_MARKS, CellColumn, type CellType } from "../../../src/core/source/cells.js";

function typeOf(cells: readonly string[]): CellType {
  const column = new CellColumn();
  for (const cell of cells) column.add(cell);
  return column.type;
}

describe("a column's type", () => {
  test("tells every cell apart", () => {
    const decimal = fc
      .tuple(fc.constantFrom("", "-", "+", "0"), fc.nat(120), fc.constantFrom("", ".", ".0", ".5", ".50", ".05", "e1"))
      .map((parts) => parts.join(""));
    const json = fc
      .tuple(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("", " "))
      .map(([value, space]) => JSON.stringify([value]).replaceAll(",", `,${space}`));
    const objects = fc
      .tuple(fc.shuffledSubarray(["a", "b", "c"]), fc.nat(1))
      .map(([names, value]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, value]))));
    const column = fc
      .constantFrom(decimal, json, objects, fc.constantFrom("true", "false", "True"), fc.double().map(String))
      .chain((cell) => fc.array(cell, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(column, (cells) => {
        const type = typeOf(cells);
        const values = cells.map((cell) => (type === "text" ? cell : sorted(JSON.parse(cell))));
        expect([type, new Set(values).size]).toEqual([type, new Set(cells).size]);
      }),
      { numRuns: 2000 },
    );
  });

  test("is the same in any order of the cells", () => {
    const cell = fc.constantFrom("1", "1.5", "1.50", "-2", "true", "[1]", '{"a":1}', "x", "[1, 2]", '{"a":1,"b":2}');
    fc.assert(
      fc.property(
        fc
          .array(cell, { maxLength: 4 })
          .chain((cells) => fc.tuple(fc.constant(cells), fc.shuffledSubarray(cells, { minLength: cells.length }))),
        ([cells, shuffled]) => {
          expect(typeOf(shuffled)).toBe(typeOf(cells));
        },
      ),
    );
  });
});

/** The text of a value, with members in one order, as it is published. */
function sorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted)}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`)}}`;
}

test("a mark of absence is never a value of another type", () => {
  for (const mark of ABSENCE_MARKS) expect([mark, typeOf([mark])]).toEqual([mark, "text"]);
});
