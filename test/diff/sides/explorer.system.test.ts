/** A side of a diff knows whether its snapshot has an explorer, on disk and on a host. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withDefaults } from "../../../src/core/settings/settings.js";
import { build, createServer } from "../../../src/index.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { openOnly } from "./opened.js";

const baseUrl = "https://directory.example.com/people";

test.each([true, false])("links to an explorer only where there is one: %s", async (explorer) => {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  const { id, folder } = await build({ db, baseUrl, dist: join(cwd, "dist"), explorer });
  const host = await createServer({ dist: folder });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0 });
  const effects = {
    cwd,
    dist: join(cwd, "dist"),
    scratch: scratch(),
    source: withDefaults("diff", { baseUrl, explorer }),
  };
  for (const name of [id, folder, url, "users.sqlite"]) {
    const { facts } = await openOnly(name, effects);
    // Its URL is the base URL, wherever it is read.
    expect([name, facts.explorer]).toEqual([name, explorer ? `${baseUrl}/` : undefined]);
  }
});
