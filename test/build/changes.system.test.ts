/** Builds with steps on a disk that is full at one moment after the other: what is current stays whole, or the next one is. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLI } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

test("a disk that has room for all but the last files", { timeout: 300_000 }, () => {
  const folder = scratch();
  for (const version of [1, 2, 3]) {
    const edit = `UPDATE users SET bio = 'version ${version}' WHERE rowid % 7 = 0`;
    writeUsers(join(folder, `${version}.sqlite`), plainRows(60), edit);
  }
  mkdirSync(join(folder, "dist"));
  const output = execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", `exec 2>&1; ${SCRIPT}`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CLI },
  });
  const failed = "code 1 whole 1 steps\n";
  const lines = output.replaceAll(/^error: Cannot write dist: the disk is full; .*\n/gm, "");
  // The step, changes.json, snapshot.json and SHA256SUMS are the last of all, a block each.
  expect(lines).toMatch(new RegExp(`^(?:${failed}){5,}code 0 whole 2 steps\n$`));
});

/** Leaves a block more each time, until there is room. */
const SCRIPT = `
  make() { node "$CLI" build --quiet --changes 5 --db $1.sqlite --out dist --base-url https://a.example; }
  mount -t tmpfs -o size=8m tmpfs dist
  make 1; make 2
  room=$(($(du -sk dist/current/ | cut -f 1) - 60))
  code=1
  while [ $code = 1 ]; do
    room=$(($room + 4))
    dd if=/dev/zero of=dist/filler bs=1k count=$(($(df --output=avail -k dist | tail -n 1) - $room)) status=none
    make 3
    code=$?
    rm dist/filler
    whole=$(cd dist/current && sha256sum --check --quiet SHA256SUMS && echo whole)
    echo "code $code $whole $(ls dist/current/changes | wc -l) steps" $(ls -A dist | grep -e staging -e trash)
  done`;
