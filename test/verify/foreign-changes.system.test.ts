/** Steps of releases whose records are no users: they pass on disk and by URL, and no line of theirs can be left out or moved. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import { toSql } from "../../src/contract/schema/sql.js";
import { build, createServer, verify } from "../../src/index.js";
import { changeLines, linesOf, readChanges } from "../support/damage.js";
import { scratch } from "../support/files.js";
import { FOREIGN, type Foreign } from "../support/foreign.js";
import { freePort } from "../support/ports.js";

/** The third has too many records for what is to be found here. */
const CASES = FOREIGN.slice(0, 2).map((one) => [one.contract["x-listing"].words[1], one] as const);

/** Builds, edits as the contract's own test does, and builds again. */
async function stepped({ contract: file, fill, edit, config }: Foreign) {
  const [place, port] = [scratch(), await freePort()];
  const db = new Database(join(place, "source.sqlite"));
  onTestFinished(() => void db.close());
  db.exec(toSql(contractOf(file)));
  db.exec(fill);
  const baseUrl = `http://127.0.0.1:${port}`;
  const { compress: _, ...settings } = config;
  const options = { ...settings, contract: file, db: db.name, out: join(place, "dist"), baseUrl, changes: 3 };
  await build(options);
  db.exec(edit);
  return { ...(await build(options)), baseUrl, port };
}

async function rowOf(what: string) {
  const { rows } = await verify({ what, against: "none" });
  return rows.find(({ name }) => name === "changes");
}

describe.each(CASES)("%s", (_, foreign) => {
  test("a right step passes, and one without any of its lines, or with two swapped, does not", async () => {
    const { folder, baseUrl, port } = await stepped(foreign);
    const server = await createServer({ folder });
    onTestFinished(() => server.close());
    await server.listen({ port, host: "127.0.0.1" });
    for (const what of [folder, baseUrl]) expect(await rowOf(what)).toMatchObject({ outcome: "passed", count: 0 });

    const [step] = readChanges(folder).steps;
    const lines = linesOf(folder, step ?? { file: "" });
    expect(lines.length).toBeGreaterThan(3);
    for (const at of lines.keys()) {
      changeLines(folder, 0, () => lines.filter((_, other) => other !== at));
      expect(await rowOf(folder), `without line ${at + 1}`).toMatchObject({ outcome: "differs", count: 1 });
    }
    for (let at = 1; at < lines.length; at++) {
      changeLines(folder, 0, () => [
        ...lines.slice(0, at - 1),
        ...lines.slice(at - 1, at + 1).toReversed(),
        ...lines.slice(at + 1),
      ]);
      expect((await rowOf(folder))?.findings).toMatchObject([{ expected: "each key once, in their order" }]);
    }
  });
});
