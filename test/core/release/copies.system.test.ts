/** Which commands keep the modification times of a release, as docs/guides/publish.md says. */
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publish } from "../../../src/index.js";
import { buildUsers } from "../../publish/releases.js";
import { scratch } from "../../support/files.js";
import { needs } from "../../support/needs.js";

const FILES = ["api/users/pages/1.json", "api/users/pages/1.json.gz", "api/users/pages/1.json.br", "SHA256SUMS"];
const GIT = "git -C from -c user.name=a -c user.email=a@example.com";

test.runIf(needs("rsync", "git")).each([
  ["cp -a from to", true],
  ["cp -rp from to", true],
  ["rsync -a from/ to", true],
  ["mkdir to && tar -c -C from . | tar -x -C to", true],
  ["cp -r from to", false],
  ["rsync -r from/ to", false],
  ["mkdir to && tar -c -C from . | tar -x -m -C to", false],
  [`git init -q from && ${GIT} add . && ${GIT} commit -qm 1 && git clone -q from to`, false],
])("%s", async (command, isKept) => {
  const folder = scratch();
  const { folder: release } = await buildUsers(folder, 5, { compress: ["br", "gzip"] });
  const target = join(folder, "from");
  await publish({ dist: join(folder, "dist"), target });
  execFileSync("sh", ["-c", command], { cwd: folder });
  const times = (at: string) => FILES.map((path) => statSync(join(at, path)).mtimeMs);
  const built = times(release);
  expect(times(target)).toEqual(built);
  expect(built.map((time) => (time - (built[0] ?? 0)) / 1000)).toEqual([0, -1, -2, 0]);
  if (isKept) expect(times(join(folder, "to"))).toEqual(built);
  else for (const [at, time] of times(join(folder, "to")).entries()) expect(time).not.toBe(built[at]);
});
