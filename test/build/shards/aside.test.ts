/** How a part gets its name, and what killed processes have left is removed, while other processes change the folder of parts. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AsidePart, removeLeft } from "../../../src/build/shards/aside.js";
import { scratch } from "../../support/files.js";

test("a part fails if the folder of parts is removed while a damaged part is checked", () => {
  const parts = join(scratch(), "parts");
  const aside = new AsidePart(parts, "0-of-1", "pages");
  mkdirSync(join(parts, "0-of-1-0123", "pages"), { recursive: true });
  let checks = 0;
  const isIntact = () => {
    rmSync(parts, { recursive: true, force: true });
    // Ends the test where the part would be renamed again and again.
    return ++checks > 1;
  };
  expect(() => aside.commit("0-of-1-0123", isIntact)).toThrow("ENOENT");
});

/** The temporary name of a part that a killed process has left, with the files beside it. */
function leave(parts: string, shard: string): string {
  const name = `.${shard}-01234567-89ab-cdef-0123-456789abcdef`;
  mkdirSync(join(parts, name, "pages"), { recursive: true });
  mkdirSync(join(parts, `${name}.trash`));
  writeFileSync(join(parts, `${name}.problems`), "problems");
  writeFileSync(join(parts, `${name}.lock`), "");
  return name;
}

test("the next run of a shard removes what killed ones have left of it, and nothing else", () => {
  const parts = scratch();
  leave(parts, "1-of-3");
  const other = leave(parts, "11-of-3");
  const mine = [".1-of-3", ".1-of-3-mine", "1-of-3-0123456789abcdef"];
  for (const name of mine) mkdirSync(join(parts, name));
  const live = new AsidePart(parts, "1-of-3", "pages");
  const next = new AsidePart(parts, "1-of-3", "pages");
  const kept = [other, ...["lock", "problems", "trash"].map((end) => `${other}.${end}`), ...mine];
  const open = [live, next]
    .flatMap(({ folder }) => [folder, `${folder}.lock`])
    .map((path) => path.slice(parts.length + 1));
  expect(readdirSync(parts).sort()).toEqual([...kept, ...open].sort());
  expect(live.commit("1-of-3-0000000000000000", () => true)).toBe(true);
  next.discard();
  expect(readdirSync(parts).sort()).toEqual([...kept, "1-of-3-0000000000000000"].sort());
});

test("a join removes what is left of all shards, but not of a live one", () => {
  const parts = scratch();
  for (const shard of ["0-of-3", "2-of-3"]) leave(parts, shard);
  const live = new AsidePart(parts, "1-of-3", "pages");
  removeLeft(parts);
  expect(
    readdirSync(parts)
      .map((name) => join(parts, name))
      .sort(),
  ).toEqual([live.folder, `${live.folder}.lock`]);
  live.discard();
  removeLeft(join(parts, "missing"));
  expect(readdirSync(parts)).toEqual([]);
});
