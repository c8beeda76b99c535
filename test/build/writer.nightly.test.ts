/** A site is of one point in time, whatever another process writes meanwhile. */
import { expect, test } from "vitest";
import { buildBesideWriter } from "./writer.js";

test.each(["wal", "delete"] as const)(
  "no release breaks what each transaction of a writer keeps: %s",
  async (journal) => {
    expect(await buildBesideWriter(journal, 150)).toBeGreaterThan(100);
  },
);
